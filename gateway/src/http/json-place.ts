/** One token of JSON, blanks before it skipped: punctuation, a string, or another scalar. */
const token =
  /[ \t\n\r]*(?:([{}[\],:])|("[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*")|(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null))/y;

type State = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end' | 'nothing';

/** The state after a token, or undefined when it must not stand there. */
function next(state: State, mark: string, isString: boolean, open: string[]): State | undefined {
  const closed = (): State => (open.pop(), open.length === 0 ? 'nothing' : 'comma or end');
  switch (mark) {
    case '{':
    case '[':
      if (state !== 'value' && state !== 'value or ]') return undefined;
      open.push(mark);
      return mark === '{' ? 'key or }' : 'value or ]';
    case '}':
      return state === 'key or }' || (state === 'comma or end' && open.at(-1) === '{') ? closed() : undefined;
    case ']':
      return state === 'value or ]' || (state === 'comma or end' && open.at(-1) === '[') ? closed() : undefined;
    case ',':
      return state === 'comma or end' ? (open.at(-1) === '{' ? 'key' : 'value') : undefined;
    case ':':
      return state === 'colon' ? 'value' : undefined;
    default:
      if (state === 'key' || state === 'key or }') return isString ? 'colon' : undefined;
      if (state !== 'value' && state !== 'value or ]') return undefined;
      return open.length === 0 ? 'nothing' : 'comma or end';
  }
}

/** How far a fault is looked for, in characters: the search costs as much again as parsing does. */
export const jsonSearchedMax = 256 * 1024;

/**
 * Where a text stops being JSON. `JSON.parse` does not always say.
 *
 * @returns the offset of what must not stand there; the length when the text ends too early; undefined
 *   when the first `jsonSearchedMax` characters are not at fault
 */
export function jsonFaultOffset(text: string): number | undefined {
  const open: string[] = [];
  let state: State = 'value';
  let end = 0;
  for (;;) {
    if (end > jsonSearchedMax) return undefined;
    token.lastIndex = end;
    const match = token.exec(text);
    if (match === null) break;
    const after = next(state, match[1] ?? '', match[2] !== undefined, open);
    if (after === undefined) break;
    state = after;
    end = token.lastIndex;
  }
  const blanks = /[ \t\n\r]*/y;
  blanks.lastIndex = end;
  return end + (blanks.exec(text)?.[0].length ?? 0);
}
