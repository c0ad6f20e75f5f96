import { nameTaken } from '@weir/kit/records';
import { type ConstraintErrors, sql, statement } from '@weir/kit/sql';
import { z } from 'zod';

/** What is taken of instruments: aliases of active variables and constants, and how many such variables there are. */
export const selectTakenAliases = statement(
  z.object({ instrumentId: z.string(), aliases: z.array(z.string()), variables: z.number() }),
  ({ projectId, instrumentIds }: { readonly projectId: string; readonly instrumentIds: readonly string[] }) => sql`
    select instrument.id as instrument_id,
      array(select alias from variables.aliases where instrument_id = instrument.id) as aliases,
      (
        select count(*) from variables.variables
        where instrument_id = instrument.id and archived_at is null
      ) as variables
    from variables.instruments as instrument
    where instrument.project_id = ${projectId} and instrument.id = any (${instrumentIds}::uuid[])`,
);

/** What violated constraints of aliases mean. */
export const aliasConstraints: ConstraintErrors = {
  aliases_pkey: () => nameTaken('/alias', 'active variable or constant of the instrument'),
};
