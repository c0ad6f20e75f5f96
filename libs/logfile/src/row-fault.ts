import type { RowErrorCode } from './row-error.js';

const charactersShown = 60;

/** What is wrong with a row; `column` from 0, negative where it is none in particular. */
export interface RowFault {
  readonly code: RowErrorCode;
  readonly column: number;
  readonly message: string;
}

/** A row as a whole is at fault. */
export const rowFault = (code: RowErrorCode, message: string): RowFault => ({ code, column: -1, message });

/** A text of the file, to be shown in a message. */
export function shown(text: string): string {
  const characters = Array.from(text.slice(0, 2 * charactersShown));
  const cut = characters.length > charactersShown ? `${characters.slice(0, charactersShown).join('')}…` : text;
  return `"${cut.replace(/\p{Cc}/gu, '␣')}"`;
}
