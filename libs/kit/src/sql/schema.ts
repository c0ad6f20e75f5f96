import { z } from 'zod';
import { unavailable, WeirError } from '../errors/index.js';
import type { Db } from './db.js';
import { statement } from './statement.js';

/** The schemas, each of the service of its name. */
type SchemaName = 'access' | 'dashboards' | 'ingestion' | 'observations' | 'parsers' | 'variables';

/**
 * Declares which schema a release needs: a process is not ready before it, and takes a later one.
 *
 * @param versionMin - the number of the newest migration
 * @returns what rejects while the database does not answer or was not migrated far enough
 */
export function requiredSchema(name: SchemaName, versionMin: number): (db: Db) => Promise<void> {
  const text = `select coalesce(max(version), 0) as version from ${name}.migrations`;
  const selectVersion = statement(z.object({ version: z.number() }), () => ({ text, values: [] }));
  return async (db) => {
    const { version } = await selectVersion.one(db, undefined).catch((error: Error) => {
      if (error instanceof WeirError) throw error;
      // the migrations that make the schema, or the role that is to read it, may not have run yet
      throw unavailable(`schema ${name} cannot be read, ${versionMin} is needed: run weir migrate`, error);
    });
    if (version < versionMin)
      throw unavailable(`schema ${name} is at version ${version}, ${versionMin} is needed: run weir migrate`);
  };
}
