/** Longest name and longest free text, in Unicode code points. */
export const nameCharactersMax = 256;
export const freeTextCharactersMax = 4096;

const control = /\p{Cc}/u;

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
  if (!text.isWellFormed()) return undefined;
  const title = text.normalize('NFC').trim();
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
