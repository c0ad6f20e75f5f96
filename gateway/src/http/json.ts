import { pointerToken, shownName } from '@weir/kit/faults';
import type { Faults } from './faults.js';
import { jsonDepthMax, tooDeep } from './json-excess.js';
import { jsonFaultOffset, jsonSearchedMax } from './json-place.js';

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * The text of a body. A byte order mark is ignored, as RFC 8259 lets a parser do; bytes that are not
 * UTF-8 are a fault.
 */
export function decodeText(bytes: Uint8Array, faults: Faults): string | undefined {
  try {
    return decoder.decode(bytes);
  } catch {
    faults.add('', 'malformed_json', 'The body is not valid UTF-8.');
    return undefined;
  }
}

function placeOf(text: string): string {
  const offset = jsonFaultOffset(text);
  if (offset === undefined) return `it breaks after its first ${jsonSearchedMax} characters`;
  if (offset === text.length) return 'it ends too early';
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return `it breaks at line ${line}, column ${offset - before.lastIndexOf('\n')}`;
}

/** Parses JSON; undefined (which no JSON is) when a fault was reported. */
export function parseJson(text: string, faults: Faults): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const message =
      text.trim() === '' ? 'The body is empty; send a JSON object.' : `The body is not valid JSON: ${placeOf(text)}.`;
    faults.add('', 'malformed_json', message);
    return undefined;
  }
}

/**
 * Whether strings of the value may hold what raw JSON text cannot: NUL and lone surrogates need an
 * escape, and so would a hidden `__proto__`.
 */
export function hasEscapes(text: string): boolean {
  return text.includes('\\u');
}

/** Where a fault stands: the member names from the root, made into a pointer only when needed. */
type Trail = string[];

function pointerOf(trail: Trail): string {
  return trail.map((name) => `/${pointerToken(shownName(name))}`).join('');
}

function checkString(value: string, trail: Trail, faults: Faults): void {
  if (value.includes('\0')) faults.add(pointerOf(trail), 'invalid_text', 'A text must not contain NUL.');
  else if (!value.isWellFormed())
    faults.add(pointerOf(trail), 'invalid_text', 'A text must not contain half a surrogate pair.');
}

function check(value: unknown, trail: Trail, faults: Faults): boolean {
  if (typeof value === 'string') checkString(value, trail, faults);
  else if (typeof value === 'number') {
    if (!Number.isFinite(value)) faults.add(pointerOf(trail), 'out_of_range', 'The number overflows a 64-bit double.');
  } else if (typeof value === 'object' && value !== null) {
    if (trail.length === jsonDepthMax) {
      faults.add(pointerOf(trail), tooDeep.code, tooDeep.message);
      return false;
    }
    const isArray = Array.isArray(value);
    // for…in is safe here: JSON.parse gives plain objects, whose prototype has nothing enumerable
    for (const key in value) {
      if (faults.isFull) return false;
      trail.push(key);
      if (!isArray) {
        checkString(key, trail, faults);
        if (key === '__proto__')
          faults.add(pointerOf(trail), 'unknown_field', 'No member may be called __proto__; remove it or rename it.');
      }
      if (!check((value as Record<string, unknown>)[key], trail, faults)) return false;
      trail.pop();
    }
  }
  return true;
}

/**
 * Reports what no schema should meet: numbers that overflow a double, texts with NUL or lone
 * surrogates, own members called `__proto__`, nesting beyond `jsonDepthMax`.
 *
 * @returns whether the value may be given to code that recurses
 */
export function checkJson(value: unknown, faults: Faults): boolean {
  return check(value, [], faults);
}
