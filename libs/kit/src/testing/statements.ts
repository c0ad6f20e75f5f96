import pg from 'pg';
import { declaredStatements, statementBuilders } from '../sql/index.js';

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

/** A node of a plan as `explain (format json, verbose)` tells it. */
export interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Schema?: string;
  readonly Plans?: readonly PlanNode[];
  readonly [detail: string]: unknown;
}

/** A declared statement, and the plan that it has whatever its arguments are. */
export interface PlannedStatement {
  readonly text: string;
  readonly plan: PlanNode;
}

/**
 * Prepares and plans every statement that the loaded stores declare, as the role that will run
 * them: a wrong name or type and a missing right fail here, whatever branch would run it.
 *
 * @param url - a migrated database
 * @param role - role of the service; the login's own when absent
 * @param settings - further settings of the session
 * @param parametersFrom - what to add to the numbers of parameters in plans, where these also number sub-plans
 * @throws Error with every fault
 */
export async function planStatements(
  url: string,
  role?: string,
  settings: Readonly<Record<string, string>> = {},
  parametersFrom = 0,
): Promise<PlannedStatement[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const faults: string[] = [];
  const planned: PlannedStatement[] = [];
  try {
    if (role !== undefined) await client.query(`set role ${pg.escapeIdentifier(role)}`);
    // plans without looking at arguments, so that nulls stand for all of them
    for (const [name, value] of Object.entries({ ...settings, plan_cache_mode: 'force_generic_plan' }))
      await client.query('select set_config($1, $2, false)', [name, value]);
    for (const [index, build] of declaredStatements.entries()) {
      const name = `s${index}`;
      let text = 'its builder';
      try {
        text = build(anything()).text;
        const unused = Array.from({ length: parametersFrom }, () => 'int').join(', ');
        const moved = text.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + parametersFrom}`);
        await client.query(`prepare ${name}${unused === '' ? '' : ` (${unused})`} as ${moved}`);
        const { rows } = await client.query<{ count: number }>(
          'select cardinality(parameter_types)::int as count from pg_prepared_statements where name = $1',
          [name],
        );
        const nulls = Array.from({ length: rows[0]?.count ?? 0 }, () => 'null').join(', ');
        // a plan is made with the rights of the role checked, and never run
        const explained = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
          `explain (format json, verbose) execute ${name}${nulls === '' ? '' : `(${nulls})`}`,
        );
        planned.push({
          text,
          plan: (explained.rows[0] as { 'QUERY PLAN': [{ Plan: PlanNode }] })['QUERY PLAN'][0].Plan,
        });
      } catch (error) {
        faults.push(`${(error as Error).message}, in: ${text}`);
      }
    }
  } finally {
    await client.end();
  }
  if (faults.length > 0)
    throw new Error(`${faults.length} statement(s) do not fit the database:\n${faults.join('\n')}`);
  return planned;
}

/** The names of statements by their texts. @param stores - the modules that export them */
export function nameStatements(stores: readonly object[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const [name, exported] of stores.flatMap((store) => Object.entries(store))) {
    const build = typeof exported === 'object' ? statementBuilders.get(exported as object) : undefined;
    if (build !== undefined) names.set(build(anything()).text, name);
  }
  return names;
}

/** The indexes that a plan walks with their conditions, and the tables that it reads without one. */
function walksOf(node: PlanNode): string[] {
  const walk = ['Index Name', 'Index Cond', 'Relation Name']
    .flatMap((detail) => (typeof node[detail] === 'string' ? [node[detail]] : []))
    // numbers of parameters depend on what else is in the plan
    .map((detail) => detail.replaceAll(/\$[0-9]+/g, '$'));
  return [...(walk.length === 0 ? [] : [walk.join(' ')]), ...(node.Plans ?? []).flatMap(walksOf)].sort();
}

/**
 * The texts of statements that another role walks other indexes for, or by other conditions: policies
 * are to bind a role, and not to choose how its statements find rows.
 */
export async function findOtherWalks(
  url: string,
  roles: readonly [string, string],
  settings: Readonly<Record<string, string>> = {},
): Promise<string[]> {
  const [first, second] = [
    await planStatements(url, roles[0], settings),
    await planStatements(url, roles[1], settings),
  ];
  return first.flatMap(({ text, plan }, at) => {
    const other = second[at];
    const [walks, others] = [walksOf(plan).join('\n'), other === undefined ? '' : walksOf(other.plan).join('\n')];
    return walks === others ? [] : [`${text}\n${walks}\nbut as ${roles[1]}:\n${others}`];
  });
}

/** Plans every declared statement as `planStatements` does. @returns how many there were */
export async function prepareStatements(url: string, role?: string): Promise<number> {
  return (await planStatements(url, role)).length;
}
