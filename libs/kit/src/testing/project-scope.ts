import pg from 'pg';
import { conjunctsOf, type Keeping, Reach } from './plan-reach.js';
import { bodyOf, readScopes, type Scope } from './plan-scopes.js';
import { nameStatements, type PlanNode, planStatements } from './statements.js';

/** A table's project stands in `project_id`, but for what is one. */
const projectColumns: Readonly<Record<string, string>> = { 'access.projects': 'id' };

/**
 * Plans that show by which column rows are found, however small the tables are; of all partitions, though the nulls
 * that stand for arguments are in none.
 */
const settings = {
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  enable_memoize: 'off',
  enable_partition_pruning: 'off',
};

/** The least number of a parameter in plans: `$0` to `$99` are what sub-plans have answered. */
const parametersFrom = 100;

const conditionDetails = ['Index Cond', 'Recheck Cond', 'Filter', 'Join Filter', 'Hash Cond', 'Merge Cond'];

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

const aliasOf = (node: PlanNode): string => String(node['Alias']);

const isTable = (node: PlanNode): boolean => typeof node['Relation Name'] === 'string';

/** What stands behind the aliases of common table expressions and sub-selects. */
function findBehind(nodes: readonly PlanNode[]): Map<string, PlanNode> {
  const behind = new Map<string, PlanNode>();
  for (const node of nodes) {
    const cte = nodes.find((other) => other['Subplan Name'] === `CTE ${String(node['CTE Name'])}`);
    if (/^(CTE|WorkTable) Scan$/.test(node['Node Type']) && cte !== undefined) behind.set(aliasOf(node), cte);
    const [body] = node.Plans ?? [];
    if (node['Node Type'] === 'Subquery Scan' && body !== undefined) behind.set(aliasOf(node), body);
    const [, number] = /^InitPlan (?:\d+ \(returns \$)?(\d+)/.exec(String(node['Subplan Name'])) ?? [];
    if (number !== undefined) behind.set(`init_${number}`, node);
  }
  return behind;
}

/** A condition in which what a sub-plan has answered is a column of that: `$0` up to PostgreSQL 16, `(InitPlan 1).col1` after. */
const withInitPlans = (condition: string): string =>
  condition.replaceAll(
    /\$(\d{1,2})(?!\d)|\(InitPlan (\d+)\)\.col1/g,
    (_, old?: string, number?: string) => `init_${old ?? number}.key`,
  );

/** What an insert writes into columns, as conditions on the rows that come about. */
function writtenBy(node: PlanNode, table: Table): string[] {
  const output = node.Plans?.find((part) => part['Parent Relationship'] === 'Outer')?.['Output'] as
    | string[]
    | undefined;
  return table.columns.flatMap((column, at) =>
    column === '' || output?.[at] === undefined ? [] : [`${aliasOf(node)}.${column} = ${output[at]}`],
  );
}

/** How a plan keeps to a project, by the loosest of its tables; undefined when it reads and writes none of tenants. */
function keepingOf(plan: PlanNode, tables: ReadonlyMap<string, Table>): Keeping | undefined {
  const nodes = nodesOf(plan);
  const tableOf = (node: PlanNode): Table | undefined => tables.get(`${node.Schema}.${node['Relation Name']}`);
  const isInsert = (node: PlanNode): boolean => node['Operation'] === 'Insert';
  const read = nodes.filter(
    (node) => (node['Node Type'] !== 'ModifyTable' || isInsert(node)) && tableOf(node) !== undefined,
  );
  if (read.length === 0) return undefined;
  const byAlias = new Map(read.map((node) => [aliasOf(node), tableOf(node)]));
  const behind = findBehind(nodes);
  const given = new Set(
    nodes.filter((node) => /^(Function|Values) Scan$/.test(node['Node Type'])).map((node) => aliasOf(node)),
  );
  const isGiven = (alias: string, asked: readonly string[] = []): boolean => {
    const body = behind.get(alias);
    const parts = body === undefined ? [] : nodesOf(body).filter((node) => typeof node['Alias'] === 'string');
    const areGiven = parts.every(
      (node) => asked.includes(aliasOf(node)) || (!isTable(node) && isGiven(aliasOf(node), [...asked, alias])),
    );
    return given.has(alias) || asked.includes(alias) || (body !== undefined && areGiven);
  };
  // of what stands before a table too
  const projectColumnOf = (alias: string): string | undefined => {
    const body = behind.get(alias);
    const isOfProjects =
      body !== undefined && nodesOf(body).some((node) => byAlias.get(aliasOf(node))?.project !== undefined);
    return byAlias.get(alias)?.project ?? (isOfProjects ? 'project_id' : undefined);
  };
  const scopes = readScopes(plan);
  const scopeOf = new Map(nodes.map((node) => [aliasOf(node), scopes.scopeOf.get(node)]));
  const bodies = new Map([...behind].map(([alias, body]) => [alias, bodyOf(body, scopes)]));
  const reach = new Reach({
    projectColumnOf,
    isGiven,
    scopeOf: (alias) => scopeOf.get(alias),
    behind: (alias) => bodies.get(alias),
  });
  for (const [alias, scope] of bodies)
    for (const node of nodes)
      if (scope !== undefined && typeof node['Alias'] === 'string' && scopeOf.get(aliasOf(node)) === scope)
        reach.link(alias, aliasOf(node), scope);
  for (const node of nodes) {
    // a part of what the heap scan above it checks whole
    if (node['Node Type'] === 'Bitmap Index Scan') continue;
    for (const detail of conditionDetails) {
      const scope = (detail === 'Filter' ? scopes.scopeOf : scopes.joinScopeOf).get(node) as Scope;
      if (typeof node[detail] === 'string')
        for (const part of conjunctsOf(withInitPlans(node[detail]))) reach.addConjunct(part, scope);
    }
    const table = tableOf(node);
    if (isInsert(node) && table !== undefined)
      for (const part of writtenBy(node, table))
        reach.addConjunct(withInitPlans(part), scopes.scopeOf.get(node) as Scope);
  }
  const found = [...byAlias.keys()].map((alias) => reach.keepingOf(alias));
  return (['never', 'where given', 'always'] as const).find((keeping) => found.includes(keeping));
}

interface Table {
  /** The column that tells the project of its rows; none where they are reached by a key. */
  readonly project: string | undefined;
  /** Its columns by their numbers; '' where one was dropped. */
  readonly columns: readonly string[];
}

/** All tables with rows of projects, by schema and name. */
async function readTables(url: string, ofNoProject: readonly string[]): Promise<Map<string, Table>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ table: string; columns: string[] }>(
      `select format('%s.%s', relnamespace::regnamespace, relname) as table,
         array_agg(case when attisdropped then '' else attname::text end order by attnum) as columns
       from pg_attribute join pg_class on pg_class.oid = attrelid
       where attnum > 0 and relkind in ('r', 'p') and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
       group by 1`,
    );
    return new Map(
      rows.flatMap(({ table, columns }) => {
        if (table.endsWith('.migrations') || ofNoProject.includes(table)) return [];
        const project = projectColumns[table] ?? columns.find((column) => column === 'project_id');
        return [[table, { project, columns }] as const];
      }),
    );
  } finally {
    await client.end();
  }
}

/**
 * The statements that read or write tables of projects without naming one: a forgotten condition, or one of those
 * that work for all. A table without a column for the project is one of projects too: its rows are found by a key
 * of a row that is found in the project, in the same statement. Looked for in plans, whose conditions are those of the
 * statement alone for a role that no policy binds.
 *
 * @param role - one whose policies let it see all
 * @param stores - the modules that export the statements; one that none does is told by its text
 * @param ofNoProject - tables whose rows are of no project, besides those of migrations
 */
export async function findUnscoped(
  url: string,
  role: string,
  stores: readonly object[],
  ofNoProject: readonly string[] = [],
): Promise<Record<Exclude<Keeping, 'always'>, string[]>> {
  const tables = await readTables(url, ofNoProject);
  const names = nameStatements(stores);
  const unscoped: Record<Exclude<Keeping, 'always'>, string[]> = { 'where given': [], never: [] };
  for (const { text, plan } of await planStatements(url, role, settings, parametersFrom)) {
    const keeping = keepingOf(plan, tables);
    if (keeping !== undefined && keeping !== 'always') unscoped[keeping].push(names.get(text) ?? text);
  }
  return { 'where given': unscoped['where given'].sort(), never: unscoped.never.sort() };
}
