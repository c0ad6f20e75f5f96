import pg from 'pg';
import { parseInstant } from '../time/index.js';

const { builtins } = pg.types;

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`the number ${text} from the database is not exact in a double`);
  return value;
}

/** `2026-01-02 03:04:05.678901+00`, as a session in UTC writes it, to microseconds since 1970. */
function instantUs(text: string): number {
  const us = parseInstant(`${text}:00`);
  if (us === undefined) throw new RangeError(`the instant ${text} from the database is out of range`);
  return us;
}

/** How values of PostgreSQL types become JavaScript ones; the rest as pg has them. */
export const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') => {
    if (oid === builtins.INT8) return safeInteger;
    if (oid === builtins.NUMERIC) return Number;
    if (oid === builtins.TIMESTAMPTZ) return instantUs;
    return pg.types.getTypeParser(oid, format as 'text');
  }) as typeof pg.types.getTypeParser,
};
