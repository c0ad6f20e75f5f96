/** A statement's text with `$1…` and its parameters. */
export interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Text that several statements share, such as the columns that they read. It stands in the code as it is, and has no parameters. */
class SqlPart {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type { SqlPart };

/** A text that was made of a template, and the parts in it, each with its place among the `${}`. */
interface Joined {
  readonly text: string;
  readonly parts: readonly (readonly [place: number, part: SqlPart])[];
}

const texts = new WeakMap<TemplateStringsArray, readonly Joined[]>();

function join(strings: TemplateStringsArray, values: readonly unknown[]): Joined {
  const parts: [number, SqlPart][] = [];
  const text = strings.reduce((joined, rest, index) => {
    const part = values[index - 1];
    if (!(part instanceof SqlPart)) return `${joined}$${index - parts.length}${rest}`;
    parts.push([index - 1, part]);
    return `${joined}${part.text}${rest}`;
  });
  return { text: text.trim(), parts };
}

/**
 * SQL as a tagged template: every `${}` becomes a parameter, never text, but for a part that was written with `sqlPart`.
 *
 * @example sql`select name from access.projects where id = ${id}`
 */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  const known = texts.get(strings) ?? [];
  let joined = known.find(({ parts }) => parts.every(([place, part]) => values[place] === part));
  if (joined === undefined) {
    joined = join(strings, values);
    texts.set(strings, [...known, joined]);
  }
  const { text, parts } = joined;
  return { text, values: parts.length === 0 ? values : values.filter((value) => !(value instanceof SqlPart)) };
}

/**
 * A part of statements, written once: a tagged template without any `${}`.
 *
 * @example const columns = sqlPart`id, name`
 */
export function sqlPart(strings: TemplateStringsArray): SqlPart {
  return new SqlPart(strings.join('').trim());
}
