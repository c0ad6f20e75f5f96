import type { Faults } from '../faults/index.js';
import { freeTextCharactersMax, nameCharactersMax, normalizeFreeText, normalizeName } from '../text/index.js';

/** A name as it is stored; a fault when it cannot be one. */
export function parseName(text: string, path: string, faults: Faults): string {
  const name = normalizeName(text);
  if (name === undefined) {
    faults.add(path, 'invalid_name', `Give a name of 1 to ${nameCharactersMax} characters, none a control character.`);
  }
  return name ?? '';
}

/** A free text as it is stored, absent where it may be; a fault when it cannot be stored. */
export function parseFreeText<T extends string | undefined>(text: T, path: string, faults: Faults): T {
  if (text !== undefined && normalizeFreeText(text) === undefined) {
    faults.add(path, 'invalid_text', `Give at most ${freeTextCharactersMax} characters, none of them NUL.`);
  }
  return text;
}
