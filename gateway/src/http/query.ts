import { pointerToken, shownName } from '@weir/kit/faults';
import type { Faults } from './faults.js';
import type { Parameters } from './operation.js';

/** A text of a URL's query: percent escapes of UTF-8, and `+` for a blank; undefined when it is none. */
function decode(text: string): string | undefined {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The texts of each parameter that a query names, faults of its form reported. */
function readPairs(search: string, faults: Faults): Map<string, string[]> {
  const pairs = new Map<string, string[]>();
  for (const pair of search.split('&')) {
    if (faults.isFull) break;
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const rawName = equals === -1 ? pair : pair.slice(0, equals);
    const name = decode(rawName);
    const value = equals === -1 ? '' : decode(pair.slice(equals + 1));
    if (name === undefined || value === undefined) {
      const path = `query/${pointerToken(shownName(name ?? rawName))}`;
      faults.add(path, 'invalid_encoding', 'Percent escapes must be those of UTF-8.');
      // the name stays known, so that a required parameter is not called missing as well
      if (name !== undefined && !pairs.has(name)) pairs.set(name, []);
      continue;
    }
    const texts = pairs.get(name);
    if (texts === undefined) pairs.set(name, [value]);
    else texts.push(value);
  }
  return pairs;
}

function readOne(name: string, texts: readonly string[], declared: Parameters, faults: Faults): unknown {
  const parameter = declared[name];
  if (parameter === undefined) return undefined;
  const path = `query/${name}`;
  if (texts.length > 1 && parameter.list !== true) {
    faults.add(path, 'repeated_parameter', 'This parameter may be given once only.');
    return undefined;
  }
  if (texts.includes('')) {
    faults.add(path, 'empty_value', 'Give a value, or leave the parameter out.');
    return undefined;
  }
  const text = texts.join(',');
  if (text.includes('\0')) {
    faults.add(path, 'invalid_text', 'A value must not contain NUL.');
    return undefined;
  }
  const parsed = parameter.parse(text);
  if ('value' in parsed) return parsed.value;
  faults.add(path, parsed.fault.code, parsed.fault.message);
  return undefined;
}

/**
 * Reads a query string by what is declared. Nothing is coerced, guessed or merged.
 *
 * @param search - what stands after the `?`
 * @returns the values by name; of use only when no fault was reported
 */
export function readQuery(search: string, declared: Parameters, faults: Faults): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const pairs = search === '' ? undefined : readPairs(search, faults);
  if (pairs !== undefined) {
    for (const [name, texts] of pairs) {
      if (Object.hasOwn(declared, name)) {
        if (texts.length > 0) values[name] = readOne(name, texts, declared, faults);
      } else {
        const path = `query/${pointerToken(shownName(name))}`;
        faults.add(path, 'unknown_query_parameter', 'This operation has no such parameter; remove it.');
      }
    }
  }
  for (const name in declared) {
    const parameter = declared[name];
    if (parameter === undefined || pairs?.has(name) === true) continue;
    if (parameter.required) faults.add(`query/${name}`, 'required', 'This parameter must be given.');
    values[name] = parameter.absent;
  }
  return values;
}
