/** Longest name and longest free text, in Unicode code points. */
export const nameCharactersMax = 256;
export const freeTextCharactersMax = 4096;

/** No character decomposes into more, so that a longer text is longer than its bound in NFC as well (UAX 15). */
const decomposedMax = 4;

const control = /\p{Cc}/u;
// Written out, since dialects of patterns differ in what \s is: what `trim` takes off, and what is in Cc.
const blanks = '\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';
const controls = '\\u0000-\\u001f\\u007f-\\u009f';

const trimmed = `[^${blanks}${controls}]([^${controls}]*[^${blanks}${controls}])?[${blanks}]*`;

/** What can be a name, but for its length, and what a title, as patterns of JSON Schema. */
export const namePattern = `^[${blanks}]*${trimmed}$`;
export const titlePattern = `^[${blanks}]*(${trimmed})?$`;

function hasAtMost(text: string, charactersMax: number): boolean {
  // a code point is one or two UTF-16 units, so most texts are decided without counting
  if (text.length <= charactersMax) return true;
  return text.length <= charactersMax * 2 && Array.from(text).length <= charactersMax;
}

/**
 * A title as it is stored: like a name, but it may be empty.
 *
 * @returns undefined when the text cannot be a title
 */
export function normalizeTitle(text: string): string | undefined {
  const bare = text.trim();
  // measured before: marks out of order are sorted in a time that grows with the square of their number
  if (!hasAtMost(bare, nameCharactersMax * decomposedMax) || !bare.isWellFormed()) return undefined;
  const title = bare.normalize('NFC').trim();
  return hasAtMost(title, nameCharactersMax) && !control.test(title) ? title : undefined;
}

/**
 * A name as it is stored and compared: Unicode NFC, trimmed, 1 to 256 characters, without control
 * characters and lone surrogates.
 *
 * @returns undefined when the text cannot be a name
 */
export function normalizeName(text: string): string | undefined {
  return normalizeTitle(text) || undefined;
}

/**
 * A description or other free text, as it came: at most 4,096 characters (unless said otherwise),
 * without NUL (PostgreSQL has no place for it) and lone surrogates.
 *
 * @returns undefined when the text cannot be stored
 */
export function normalizeFreeText(text: string, charactersMax = freeTextCharactersMax): string | undefined {
  return text.isWellFormed() && !text.includes('\0') && hasAtMost(text, charactersMax) ? text : undefined;
}
