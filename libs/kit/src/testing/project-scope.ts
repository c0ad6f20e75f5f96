import pg from 'pg';
import { nameStatements, type PlanNode, planStatements } from './statements.js';

/** How a statement keeps to a project: it demands one, it does so where one is given, or nothing in it does. */
type Keeping = 'always' | 'where given' | 'never';

/** A table's project stands in `project_id`, but for what is one. */
const projectColumns: Readonly<Record<string, string>> = { 'access.projects': 'id' };

/** Plans that show by which column rows are found, however small the tables are. */
const settings = { enable_seqscan: 'off', enable_hashjoin: 'off', enable_mergejoin: 'off', enable_memoize: 'off' };

const conditionDetails = ['Index Cond', 'Recheck Cond', 'Filter', 'Join Filter', 'Hash Cond', 'Merge Cond'];
const keyColumn = /(^|_)(id|key|number)$/;

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

const aliasOf = (node: PlanNode): string => String(node['Alias']);

/** Parts of a condition that must all hold. */
function conjunctsOf(condition: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  const text = condition.replaceAll(/'[^']*'/g, "''").replace(/^\((.*)\)$/, '$1');
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '(') depth++;
    else if (text[at] === ')') depth--;
    else if (depth === 0 && text.startsWith(' AND ', at)) {
      parts.push(text.slice(start, at));
      start = at + ' AND '.length;
    }
  }
  parts.push(text.slice(start));
  return parts.length === 1 ? parts : parts.map((part) => part.replace(/^\((.*)\)$/, '$1'));
}

interface Column {
  readonly alias: string;
  readonly name: string;
}

const columnsIn = (text: string): Column[] =>
  [...text.matchAll(/\b([a-z_]\w*)\.([a-z_]\w*)/g)].map(([, alias = '', name = '']) => ({ alias, name }));

/** What the rows of a plan are found by: which of its tables keep to a project, directly or by a key of one that does. */
class Reach {
  readonly #keeping = new Map<string, Keeping>();
  readonly #bounds = new Map<string, Set<string>>();
  readonly #links: (readonly [string, string])[] = [];
  readonly #projectColumnOf: (alias: string) => string | undefined;
  readonly #isGiven: (alias: string) => boolean;

  constructor(projectColumnOf: (alias: string) => string | undefined, isGiven: (alias: string) => boolean) {
    this.#projectColumnOf = projectColumnOf;
    this.#isGiven = isGiven;
  }

  #note(alias: string, keeping: Keeping): void {
    if (this.#keeping.get(alias) !== 'always') this.#keeping.set(alias, keeping);
  }

  link(one: string, other: string): void {
    this.#links.push([one, other]);
  }

  /** A range whose ends both begin with the project is one within it. */
  #addBound(alias: string, bound: string): void {
    const bounds = (this.#bounds.get(alias) ?? new Set()).add(bound);
    this.#bounds.set(alias, bounds);
    if (bounds.size === 2) this.#note(alias, 'always');
  }

  addConjunct(text: string): void {
    const columns = columnsIn(text);
    const [, bounded = '', name = '', bound = ''] = /^ROW\((\w+)\.(\w+), .*?\) ([<>])/.exec(text) ?? [];
    if (bound !== '' && this.#projectColumnOf(bounded) === name) this.#addBound(bounded, bound);
    const projects = columns.filter(({ alias, name }) => this.#projectColumnOf(alias) === name);
    const [left, right] = columns;
    if (text.includes(' OR ')) {
      for (const { alias } of projects) this.#note(alias, 'where given');
    } else if (text.includes(' = ')) {
      const others = columns.filter((column) => !projects.includes(column));
      const [project] = projects;
      // compared with what the caller gave
      if (project !== undefined && projects.length === 1 && others.every(({ alias }) => this.#isGiven(alias)))
        this.#note(project.alias, 'always');
      else if (left !== undefined && right !== undefined && [left, right].every(({ name }) => keyColumn.test(name)))
        if (!this.#isGiven(left.alias) && !this.#isGiven(right.alias)) this.link(left.alias, right.alias);
    }
  }

  keepingOf(alias: string): Keeping {
    const reached = new Set([alias]);
    for (const one of reached)
      for (const link of this.#links) if (link.includes(one)) for (const other of link) reached.add(other);
    const found = new Set([...reached].map((one) => this.#keeping.get(one)));
    if (found.has('always')) return 'always';
    return found.has('where given') ? 'where given' : 'never';
  }
}

/** How a plan keeps to a project, by the loosest of its tables; undefined when it reads none that has one. */
function keepingOf(plan: PlanNode, columns: ReadonlyMap<string, string>): Keeping | undefined {
  const nodes = nodesOf(plan);
  const tables = new Map(
    nodes.flatMap((node) => {
      const column = columns.get(`${node.Schema}.${node['Relation Name']}`);
      const isScan = node['Node Type'] !== 'ModifyTable' && column !== undefined;
      return isScan ? [[aliasOf(node), column] as const] : [];
    }),
  );
  if (tables.size === 0) return undefined;
  // what stands behind the alias of a common table expression or of a sub-select
  const behind = new Map<string, readonly PlanNode[]>();
  for (const node of nodes) {
    const cte = nodes.find((other) => other['Subplan Name'] === `CTE ${String(node['CTE Name'])}`);
    if (node['Node Type'] === 'CTE Scan' && cte !== undefined) behind.set(aliasOf(node), nodesOf(cte));
    if (node['Node Type'] === 'Subquery Scan') behind.set(aliasOf(node), nodesOf(node).slice(1));
  }
  const given = new Set(
    nodes.filter((node) => /^(Function|Values) Scan$/.test(node['Node Type'])).map((node) => aliasOf(node)),
  );
  const isGiven = (alias: string): boolean => {
    const parts = behind.get(alias)?.filter((node) => typeof node['Alias'] === 'string');
    return (
      given.has(alias) ||
      (parts?.every((node) => node['Relation Name'] === undefined && isGiven(aliasOf(node))) ?? false)
    );
  };
  // of what stands before a table too
  const projectColumnOf = (alias: string): string | undefined =>
    tables.get(alias) ?? (behind.get(alias)?.some((node) => tables.has(aliasOf(node))) ? 'project_id' : undefined);
  const reach = new Reach(projectColumnOf, isGiven);
  for (const [alias, parts] of behind)
    for (const part of parts) if (typeof part['Alias'] === 'string') reach.link(alias, aliasOf(part));
  // a part of what the heap scan above it checks whole
  for (const node of nodes.filter((one) => one['Node Type'] !== 'Bitmap Index Scan'))
    for (const detail of conditionDetails)
      if (typeof node[detail] === 'string') for (const part of conjunctsOf(node[detail])) reach.addConjunct(part);
  const found = [...tables.keys()].map((alias) => reach.keepingOf(alias));
  return (['never', 'where given', 'always'] as const).find((keeping) => found.includes(keeping));
}

/** The columns that tell the projects of tables. */
async function readProjectColumns(url: string): Promise<Map<string, string>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ table: string }>(
      `select format('%s.%s', relnamespace::regnamespace, relname) as table
       from pg_attribute join pg_class on pg_class.oid = attrelid
       where attname = 'project_id' and relkind in ('r', 'p')`,
    );
    return new Map([...rows.map(({ table }) => [table, 'project_id'] as const), ...Object.entries(projectColumns)]);
  } finally {
    await client.end();
  }
}

/**
 * The statements that read or change tables of projects without naming one: a forgotten condition, or one of those
 * that work for all. Looked for in plans, whose conditions are those of the statement alone for a role that no policy binds.
 *
 * @param role - one whose policies let it see all
 * @param stores - the modules that export the statements; one that none does is told by its text
 */
export async function findUnscoped(
  url: string,
  role: string,
  stores: readonly object[],
): Promise<Record<Exclude<Keeping, 'always'>, string[]>> {
  const columns = await readProjectColumns(url);
  const names = nameStatements(stores);
  const unscoped: Record<Exclude<Keeping, 'always'>, string[]> = { 'where given': [], never: [] };
  for (const { text, plan } of await planStatements(url, role, settings)) {
    const keeping = keepingOf(plan, columns);
    if (keeping !== undefined && keeping !== 'always') unscoped[keeping].push(names.get(text) ?? text);
  }
  return { 'where given': unscoped['where given'].sort(), never: unscoped.never.sort() };
}
