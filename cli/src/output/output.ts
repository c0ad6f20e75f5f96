import { createProgress, type Progress } from './progress.js';
import { type Column, formatTable, formatTabs } from './table.js';
import type { TextStream } from './text-stream.js';

/**
 * What a command has to say. With `--json` that is one JSON document; else a table for a person at a
 * terminal, and lines of tab-separated values without a heading for the next program in a pipe.
 */
export interface Output {
  /** A list, with a note when it was cut. */
  list<R>(columns: readonly Column<R>[], records: readonly R[], options: { hasMore: boolean; json: boolean }): void;
  /** One record, a member a line. */
  record(members: Readonly<Record<string, unknown>>, options: { json: boolean }): void;
  /** A word to the person beside the result. */
  note(text: string): void;
  /** A bar beside the result. */
  progress(): Progress;
}

/** Writes results to `stdout` and words to the person to `stderr`. */
export function createOutput(stdout: TextStream, stderr: TextStream): Output {
  const document = (value: unknown): void => {
    stdout.write(`${JSON.stringify(value, undefined, 2)}\n`);
  };
  const rows = (cells: readonly (readonly string[])[], heading?: readonly string[]): void => {
    stdout.write(stdout.isTTY === true ? formatTable(cells, heading) : formatTabs(cells));
  };
  const note = (text: string): void => {
    stderr.write(`${text}\n`);
  };
  return {
    list(columns, records, { hasMore, json }) {
      if (json) return document({ items: records, has_more: hasMore });
      const cells = records.map((record) => columns.map((column) => toCell(column.value(record))));
      if (cells.length === 0 && stdout.isTTY === true) note('There are none.');
      else
        rows(
          cells,
          columns.map((column) => column.heading),
        );
      if (hasMore) note(`There are more than these ${records.length}; ask for them with --limit.`);
    },
    record(members, { json }) {
      if (json) return document(members);
      rows(Object.entries(members).map(([name, value]) => [name, toCell(value)]));
    },
    note,
    progress: () => createProgress(stderr),
  };
}

function toCell(value: unknown): string {
  if (value === null || value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(toCell).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}
