/** A member's name as a token of a JSON Pointer (RFC 6901). */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** One step of a JSON Pointer, with its slash. */
export function pointerStep(name: string): string {
  return `/${pointerToken(name)}`;
}

/** A name that a caller chose, cut so that an answer never grows with it. */
export function shownName(name: string): string {
  return name.length > 64 ? `${name.slice(0, 64).toWellFormed()}…` : name.toWellFormed();
}
