/** A column of a list. */
export interface Column<R> {
  readonly heading: string;
  readonly value: (record: R) => unknown;
}

/** Columns that show members of the records under their own names. */
export function columnsOf<R>(...members: readonly (keyof R & string)[]): Column<R>[] {
  return members.map((heading) => ({ heading, value: (record) => record[heading] }));
}

// what a terminal would act upon; names have none, but an older record or another program may
const control = /\p{Cc}/gu;

const shown = (cell: string): string => cell.replace(control, '\u{fffd}');

/** Aligned columns, for a person. */
export function formatTable(rows: readonly (readonly string[])[], heading?: readonly string[]): string {
  const lines = (heading === undefined ? rows : [heading.map((text) => text.toUpperCase()), ...rows]).map((row) =>
    row.map(shown),
  );
  const widths = lines.reduce<number[]>(
    (widest, row) => row.map((cell, at) => Math.max(widest[at] ?? 0, Array.from(cell).length)),
    [],
  );
  const pad = (cell: string, at: number): string => cell + ' '.repeat((widths[at] ?? 0) - Array.from(cell).length);
  return lines.map((row) => `${row.map(pad).join('  ').trimEnd()}\n`).join('');
}

/** Lines of tab-separated values, for the next program. */
export function formatTabs(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => `${row.map(shown).join('\t')}\n`).join('');
}
