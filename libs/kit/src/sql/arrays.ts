import { formatInstant } from '../time/index.js';

/** An instant in microseconds as a parameter for `timestamptz`, exact; null stays null. */
export function sqlInstant(us: number | undefined | null): string | null {
  return us === undefined || us === null ? null : formatInstant(us);
}
