/** A statement's text with `$1…` and its parameters. */
export interface Sql {
  readonly text: string;
  readonly values: readonly unknown[];
}

const texts = new WeakMap<TemplateStringsArray, string>();

/**
 * SQL as a tagged template: every `${}` becomes a parameter, never text.
 *
 * @example sql`select name from access.projects where id = ${id}`
 */
export function sql(strings: TemplateStringsArray, ...values: readonly unknown[]): Sql {
  let text = texts.get(strings);
  if (text === undefined) {
    text = strings.reduce((joined, part, index) => `${joined}$${index}${part}`).trim();
    texts.set(strings, text);
  }
  return { text, values };
}
