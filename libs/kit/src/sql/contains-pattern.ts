/**
 * The pattern of texts that contain `part`, in which nothing is a wildcard; null for an empty one. Names
 * are compared with it whatever their case, in all scripts: `name collate "und-x-icu" ilike ${pattern}`.
 */
export function containsPattern(part: string): string | null {
  return part === '' ? null : `%${part.normalize('NFC').replace(/[\\%_]/g, '\\$&')}%`;
}
