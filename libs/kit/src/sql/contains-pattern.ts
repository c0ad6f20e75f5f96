/**
 * The pattern of texts that contain `part`, in which nothing is a wildcard; null for an empty one. Names are compared
 * with it whatever their case, in all scripts:
 * `upper(lower(name collate "und-x-icu")) like (select upper(lower(${pattern} collate "und-x-icu")))`. `ilike` would not
 * do: it compares in lower case, in which a Σ is another letter at the end of a word, and a part may end within one. In
 * upper case no letter depends on those beside it; lower case comes before, since some letters have no other way to theirs
 * (ẞ and ß are both SS then). The pattern is in a query of its own so that it is brought there once, not for each row.
 */
export function containsPattern(part: string): string | null {
  return part === '' ? null : `%${part.normalize('NFC').replace(/[\\%_]/g, '\\$&')}%`;
}
