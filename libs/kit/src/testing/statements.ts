import pg from 'pg';
import { declaredStatements } from '../sql/index.js';

/**
 * An argument that fits every statement: any property and any call gives it again, it iterates
 * once, maps over itself, and is 1 where a primitive is wanted.
 */
function anything(): unknown {
  const any: unknown = new Proxy(() => undefined, {
    get(_, property) {
      if (property === 'then') return undefined;
      if (property === Symbol.iterator) return () => [any].values();
      if (property === Symbol.toPrimitive) return (hint: string) => (hint === 'string' ? '1' : 1);
      return any;
    },
    apply(_, __, args) {
      const [first] = args as unknown[];
      if (typeof first === 'function' && first !== any) (first as (item: unknown, index: number) => unknown)(any, 0);
      return any;
    },
    construct: () => any as object,
    has: () => true,
  });
  return any;
}

/**
 * Prepares and plans every statement that the loaded stores declare, as the role that will run
 * them: a wrong name or type and a missing right fail here, whatever branch would run it.
 *
 * @param url - a migrated database
 * @param role - role of the service; the login's own when absent
 * @returns how many statements there were
 * @throws Error with every fault
 */
export async function prepareStatements(url: string, role?: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const faults: string[] = [];
  try {
    if (role !== undefined) await client.query(`set role ${pg.escapeIdentifier(role)}`);
    // plans without looking at arguments, so that nulls stand for all of them
    await client.query('set plan_cache_mode = force_generic_plan');
    for (const [index, build] of declaredStatements.entries()) {
      const name = `s${index}`;
      let text = 'its builder';
      try {
        text = build(anything()).text;
        await client.query(`prepare ${name} as ${text}`);
        const { rows } = await client.query<{ count: number }>(
          'select cardinality(parameter_types)::int as count from pg_prepared_statements where name = $1',
          [name],
        );
        const nulls = Array.from({ length: rows[0]?.count ?? 0 }, () => 'null').join(', ');
        // a plan is made with the rights of the role checked, and never run
        await client.query(`explain execute ${name}${nulls === '' ? '' : `(${nulls})`}`);
      } catch (error) {
        faults.push(`${(error as Error).message}, in: ${text}`);
      }
    }
  } finally {
    await client.end();
  }
  if (faults.length > 0)
    throw new Error(`${faults.length} statement(s) do not fit the database:\n${faults.join('\n')}`);
  return declaredStatements.length;
}
