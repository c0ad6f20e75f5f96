import { type Db, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** The migration that this release needs; a later one is welcome. */
const versionMin = 6;

const selectVersion = statement(
  z.object({ version: z.number() }),
  () => sql`select coalesce(max(version), 0) as version from observations.migrations`,
);

/** Rejects while the database does not answer or was not migrated far enough. */
export async function requireSchema(db: Db): Promise<void> {
  const { version } = await selectVersion.one(db, undefined);
  if (version < versionMin)
    throw new Error(`schema observations is at version ${version}, ${versionMin} is needed: run weir migrate`);
}
