import type { ParserConfiguration } from '@weir/parser-configuration';
import type { LogfileColumn } from './logfile.js';
import { LogfileRefused, type RefusalCode } from './refusal.js';
import { shown } from './row-fault.js';

type Reference = ParserConfiguration['timestamp']['columns'][number];

const namesShown = 20;
const faultsShown = 5;

/** Finds the columns that a configuration refers to, as places from 0, and collects what cannot be found. */
export class ColumnFinder {
  readonly #columns: readonly LogfileColumn[];
  readonly #hasHeader: boolean;
  readonly #faults: { code: RefusalCode; message: string }[] = [];
  /** The last column that was found, from 1. */
  lastColumn = 0;

  constructor(columns: readonly LogfileColumn[], hasHeader: boolean) {
    this.#columns = columns;
    this.#hasHeader = hasHeader;
  }

  find(reference: Reference): number {
    const number = this.#hasHeader ? this.#inHeader(reference) : (reference.column_number ?? 1);
    this.lastColumn = Math.max(this.lastColumn, number);
    return number - 1;
  }

  /** @throws LogfileRefused when a column could not be found */
  refuseIfMissing(): void {
    const [first] = this.#faults;
    if (first === undefined) return;
    const messages = [...new Set(this.#faults.map(({ message }) => message))].slice(0, faultsShown);
    throw new LogfileRefused(first.code, `${messages.join(' ')} ${this.#description()}`);
  }

  #inHeader({ column_number: number, header_name: name }: Reference): number {
    if (name === undefined) {
      if (number === undefined || number > this.#columns.length) {
        return this.#fault('column_not_found', `There is no column ${number}: the header has ${this.#columns.length}.`);
      }
      return number;
    }
    if (number !== undefined) {
      const found = this.#columns[number - 1]?.headerName ?? null;
      if (found === name) return number;
      const there = found === null ? 'has no name' : `is ${shown(found)}`;
      return this.#fault('column_mismatch', `Column ${number} should be ${shown(name)} and ${there}.`);
    }
    const named = this.#columns.filter(({ headerName }) => headerName === name);
    if (named.length === 1) return named[0]?.columnNumber ?? 1;
    if (named.length === 0) return this.#fault('column_not_found', `There is no column ${shown(name)} in the header.`);
    const places = named.map(({ columnNumber }) => columnNumber).join(', ');
    const message = `The header has ${shown(name)} more than once, at columns ${places}; say which by column_number.`;
    return this.#fault('column_ambiguous', message);
  }

  #fault(code: RefusalCode, message: string): number {
    this.#faults.push({ code, message });
    return 1;
  }

  #description(): string {
    const names = this.#columns.map(({ columnNumber, headerName }) => `${columnNumber} ${shown(headerName ?? '')}`);
    if (names.length === 0) return 'The line of the header is empty; check header.row_number.';
    if (this.#columns.some(({ headerName }) => headerName?.includes('\0'))) {
      return 'The header has NUL characters in it: the file may be in UTF-16, which encoding has to say.';
    }
    const rest = names.length > namesShown ? `, and ${names.length - namesShown} more` : '';
    return `The header reads: ${names.slice(0, namesShown).join(', ')}${rest}. Check header.row_number and delimiter.`;
  }
}
