import { openPool } from '@weir/kit/sql';

/** A column that by its name tells which row of another table of its schema is meant. */
export interface Link {
  /** `schema.table.column` */
  readonly column: string;
  /** Tables of the schema, any of which it may name. */
  readonly targets: readonly string[];
  readonly keeping: 'foreign key' | 'foreign key without the project' | 'none';
}

/** What the names of columns of all schemas tell. */
export interface Links {
  readonly links: readonly Link[];
  /** Columns that are named as if they told a row, and there is no table of which, in any schema. */
  readonly unknown: readonly string[];
}

interface Table {
  readonly schema: string;
  readonly name: string;
  /** Types of its columns by their names. */
  readonly columns: Readonly<Record<string, string>>;
  /** Columns that its rows count by themselves. */
  readonly counted: readonly string[];
  /** Sets of columns by which a row is told. */
  readonly keys: readonly (readonly string[])[];
  /** Those that all rows keep to. */
  readonly foreignKeys: readonly {
    readonly target: string;
    readonly columns: readonly string[];
    readonly referenced: readonly string[];
  }[];
}

const columnNames = (table: string, numbers: string) =>
  `array(select attname::text from unnest(${numbers}) with ordinality as listed (number, place)
     join pg_attribute on attrelid = ${table} and attnum = listed.number order by listed.place)`;

async function readTables(url: string): Promise<Table[]> {
  await using pool = openPool({ url, max: 1 });
  const { rows } = await pool.query({
    text: `select relnamespace::regnamespace::text as schema, relname::text as name,
         (select jsonb_object_agg(attname, atttypid::regtype::text) from pg_attribute
           where attrelid = c.oid and attnum > 0 and not attisdropped) as columns,
         array(select attname::text from pg_attribute where attrelid = c.oid and attidentity <> '') as counted,
         (select coalesce(jsonb_agg(${columnNames('c.oid', 'indkey')}), '[]') from pg_index
           where indrelid = c.oid and indisunique and indpred is null and indexprs is null) as keys,
         (select coalesce(jsonb_agg(jsonb_build_object(
             'target', (select relname from pg_class where oid = confrelid),
             'columns', ${columnNames('conrelid', 'conkey')},
             'referenced', ${columnNames('confrelid', 'confkey')}
           )), '[]')
           from pg_constraint where conrelid = c.oid and contype = 'f' and convalidated) as "foreignKeys"
       from pg_class as c
       where relkind in ('r', 'p') and not relispartition and relname <> 'migrations'
         and relnamespace::regnamespace::text !~ '^(pg_|information_schema)'
       order by 1, 2`,
    values: [],
  });
  return rows as unknown as Table[];
}

const isWithoutProject = (column: string): boolean => column !== 'project_id';

/** The one column that tells a row of a table within its project, if one does: `id`, or a name of its own. */
const ownKeys = (table: Table): string[] =>
  table.keys
    .map((key) => key.filter(isWithoutProject))
    .flatMap(([only = '', ...more]) => (only !== '' && more.length === 0 ? [only] : []));

/** What is left of a name when words are taken from its beginning: an `input_variable_id` is a `variable_id`. */
const endingsOf = (column: string): string[] => {
  const words = column.split('_');
  return words.slice(0, -1).map((_, at) => words.slice(at).join('_'));
};

const plural = (word: string): string => {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`;
  return /(s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`;
};

/**
 * The tables that a column may name a row of: `<x>_id` is the `id` of a table `<x>s`; else it is the column of its
 * name by which a table tells its rows, and what ends in `_key` the only such that ends so.
 */
function targetsOf(tables: readonly Table[], column: string, type: string): Table[] {
  for (const ending of endingsOf(column)) {
    const named = tables.filter(
      ({ name, columns }) => name === plural(ending.replace(/_id$/, '')) && columns['id'] === type,
    );
    if (ending.endsWith('_id') && named.length > 0) return named;
    const told = tables.filter((table) => ownKeys(table).includes(ending) && table.columns[ending] === type);
    if (told.length > 0) return told;
  }
  if (!column.endsWith('_key')) return [];
  const told = tables.filter((table) =>
    ownKeys(table).some((key) => key.endsWith('_key') && table.columns[key] === type),
  );
  return new Set(told.flatMap(ownKeys).filter((key) => key.endsWith('_key'))).size === 1 ? told : [];
}

function keepingOf(
  tables: readonly Table[],
  table: Table,
  column: string,
  targets: readonly Table[],
  passed: readonly Table[] = [],
): Link['keeping'] {
  const kept = table.foreignKeys.flatMap((key): Link['keeping'][] => {
    const at = key.columns.indexOf(column);
    const target = tables.find(({ name }) => name === key.target);
    if (at < 0 || target === undefined) return [];
    const haveBoth = [table, target].every(({ columns }) => 'project_id' in columns);
    const isWhole = !haveBoth || key.referenced[key.columns.indexOf('project_id')] === 'project_id';
    if (targets.includes(target)) return [isWhole ? 'foreign key' : 'foreign key without the project'];
    // by way of a row that has the same link
    if (passed.includes(target)) return [];
    const beyond = keepingOf(tables, target, key.referenced[at] ?? '', targets, [...passed, table, target]);
    return beyond === 'foreign key' && !isWhole ? ['foreign key without the project'] : [beyond];
  });
  const order = ['foreign key', 'foreign key without the project'] as const;
  return order.find((keeping) => kept.includes(keeping)) ?? 'none';
}

/** Reads from the catalog which columns link rows of one schema, and how each link is kept. */
export async function readLinks(url: string): Promise<Links> {
  const tables = await readTables(url);
  const links: Link[] = [];
  const unknown: string[] = [];
  for (const table of tables) {
    const own = tables.filter(({ schema }) => schema === table.schema);
    for (const column of Object.keys(table.columns).sort()) {
      const type = table.columns[column] ?? '';
      if (!/_(id|key)$/.test(column) || table.counted.includes(column)) continue;
      const hasProjects = own.some(({ name }) => name === 'projects');
      if (!isWithoutProject(column) && !hasProjects) continue;
      const found = targetsOf(own, column, type);
      const targets = found.filter((target) => target !== table || !ownKeys(table).includes(column));
      const keeping = keepingOf(own, table, column, targets);
      // of several tables whose rows the column tells, one is where they begin
      const isOwner =
        ownKeys(table).includes(column) &&
        keeping === 'none' &&
        targets.every((target) => keepingOf(own, target, column, found) !== 'none');
      if (targets.length > 0 && !isOwner)
        links.push({
          column: `${table.schema}.${table.name}.${column}`,
          targets: targets.map(({ name }) => name),
          keeping,
        });
      else if (/^(uuid|bigint)$/.test(type) && found.length === 0 && targetsOf(tables, column, type).length === 0)
        unknown.push(`${table.schema}.${table.name}.${column}`);
    }
  }
  return { links, unknown };
}
