/**
 * Builders of declared parameters: a `Value` reads one text by exact grammar and describes itself,
 * and `required`, `optional` or `withDefault` makes it a parameter of a query, path or header.
 */
import { shortIdPattern, shortIdRule } from '@weir/kit/ids';
import { instantFault, parseInstant } from '@weir/kit/time';
import type { Parameter, ParameterFault } from './operation.js';

/** How one text is read. */
export interface Value<T> {
  readonly jsonSchema: Readonly<Record<string, unknown>>;
  /** A comma-separated list; it may also be repeated, and then the texts are joined. */
  readonly list?: true;
  readonly parse: (text: string) => { readonly value: T } | { readonly fault: ParameterFault };
}

const fault = (code: string, message: string): { readonly fault: ParameterFault } => ({ fault: { code, message } });

/** Characters (code points) of a text. */
function lengthOf(text: string): number {
  return text.length < 2 ? text.length : [...text].length;
}

function describe<T, A>(
  value: Value<T>,
  rest: Pick<Parameter<A>, 'description' | 'required' | 'absent'>,
  example?: string,
) {
  const { jsonSchema, list, parse } = value;
  return { jsonSchema, parse, ...rest, ...(list && { list }), ...(example !== undefined && { example }) };
}

/** A parameter that must be given. */
export function required<T>(value: Value<T>, description: string, example?: string): Parameter<T> {
  // the machine never reads `absent` of a required parameter
  return describe<T, T>(value, { description, required: true, absent: undefined as T }, example);
}

/** A parameter that may be left out; the handler then gets undefined. */
export function optional<T>(value: Value<T>, description: string, example?: string): Parameter<T | undefined> {
  return describe<T, T | undefined>(value, { description, required: false, absent: undefined }, example);
}

/** A parameter with a default, which the document states. */
export function withDefault<T extends string | number | boolean>(
  value: Value<T>,
  absent: NoInfer<T>,
  description: string,
  example?: string,
): Parameter<T> {
  const jsonSchema = { ...value.jsonSchema, default: absent };
  return describe<T, T>({ ...value, jsonSchema }, { description, required: false, absent }, example);
}

/** A decimal integer within bounds: no sign but `-`, no leading zero, no exponent. */
export function integer(min: number, max: number): Value<number> {
  const message = `Give an integer from ${min} to ${max}.`;
  return {
    jsonSchema: { type: 'integer', minimum: min, maximum: max },
    parse: (text) => {
      if (!/^(0|-?[1-9][0-9]{0,15})$/.test(text)) return fault('invalid_integer', message);
      const value = Number(text);
      return value < min || value > max ? fault('out_of_range', message) : { value };
    },
  };
}

/** `true` or `false`, in lower case. */
export const boolean: Value<boolean> = {
  jsonSchema: { type: 'boolean' },
  parse: (text) =>
    text === 'true' || text === 'false' ? { value: text === 'true' } : fault('invalid_boolean', 'Give true or false.'),
};

/** One of a closed list of words. */
export function oneOf<const W extends string>(...words: readonly [W, ...W[]]): Value<W> {
  return {
    jsonSchema: { type: 'string', enum: words },
    parse: (text) => {
      const value = words.find((word) => word === text);
      return value === undefined ? fault('invalid_choice', `Give one of ${words.join(', ')}.`) : { value };
    },
  };
}

/** A comma-separated list of words of a closed list; one that stands twice counts once, at its first place. */
export function listOf<const W extends string>(...words: readonly [W, ...W[]]): Value<readonly W[]> {
  const word = oneOf(...words);
  return {
    jsonSchema: { type: 'array', minItems: 1, items: word.jsonSchema },
    list: true,
    parse: (text) => {
      const distinct = new Set<W>();
      for (const item of text.split(',')) {
        const parsed = word.parse(item);
        if ('fault' in parsed) return parsed;
        distinct.add(parsed.value);
      }
      return { value: [...distinct] };
    },
  };
}

/** A pattern, and what it asks for in the words of a person, to whom a regular expression tells nothing. */
interface Format {
  readonly pattern: RegExp;
  readonly rule: string;
}

/** A text of `min` to `max` characters (code points), of a `format` where one is given. */
function text(min: number, max: number, format?: Format): Value<string> {
  return {
    jsonSchema: { type: 'string', minLength: min, maxLength: max, ...(format && { pattern: format.pattern.source }) },
    parse: (value) => {
      const length = lengthOf(value);
      if (min === max && length !== min)
        return fault(length < min ? 'too_short' : 'too_long', `Give exactly ${min} characters.`);
      if (length < min) return fault('too_short', `Give at least ${min} character(s).`);
      if (length > max) return fault('too_long', `Give at most ${max} characters.`);
      if (format !== undefined && !format.pattern.test(value)) return fault('invalid_format', format.rule);
      return { value };
    },
  };
}

/** Longest name of a file. */
export const fileNameCharactersMax = 1024;

/** The name of a file. */
export const fileNameText: Value<string> = {
  ...text(1, fileNameCharactersMax, { pattern: /^[^\p{Cc}]+$/u, rule: 'Give a name without control characters.' }),
  jsonSchema: {
    type: 'string',
    minLength: 1,
    maxLength: fileNameCharactersMax,
    pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
  },
};

/** A part of a name that is searched for. */
export const searchText: Value<string> = text(1, 256);

/** The id of a widget. */
export const shortId: Value<string> = text(21, 21, { pattern: shortIdPattern, rule: shortIdRule });

/** Longest id that a path or query may carry. */
export const idLengthMax = 128;

/**
 * An id as a caller may write it: 1 to 128 characters, one of them not blank; in lower case from here on, as all
 * ids are. Whether it is a UUID is not its shape's question: an id of legal form that names nothing is 404.
 */
export const id: Value<string> = {
  jsonSchema: { type: 'string', minLength: 1, maxLength: idLengthMax, pattern: '\\S' },
  parse: (value) => {
    const isLegal = lengthOf(value) <= idLengthMax && /\S/.test(value);
    return isLegal
      ? { value: value.toLowerCase() }
      : fault('invalid_id', `Give an id of 1 to ${idLengthMax} characters that is not blank.`);
  },
};

/** A comma-separated list of `min` to `max` ids; one that stands twice counts once, at its first place, whatever its case. */
export function idList(min: number, max: number): Value<readonly string[]> {
  return {
    // an escaped comma separates as well, so none stands in an id
    jsonSchema: {
      type: 'array',
      minItems: min,
      maxItems: max,
      items: { ...id.jsonSchema, pattern: '^[^,]*[^,\\s][^,]*$' },
    },
    list: true,
    parse: (value) => {
      const ids = value.toLowerCase().split(',');
      for (const [index, item] of ids.entries()) {
        const parsed = id.parse(item);
        if ('fault' in parsed) return fault(parsed.fault.code, `Id ${index + 1} of the list: ${parsed.fault.message}`);
      }
      const distinct = [...new Set(ids)];
      return distinct.length < min || distinct.length > max
        ? fault('out_of_range', `Give ${min} to ${max} ids, separated by commas.`)
        : { value: distinct };
    },
  };
}

/**
 * An RFC 3339 date-time with `Z` or a numeric offset, as microseconds since 1970. An unescaped `+` of
 * an offset, which a query turns into a blank, is read as the `+` it was.
 */
export const instant: Value<number> = {
  jsonSchema: { type: 'string', format: 'date-time' },
  parse: (value) => {
    const text = value.replace(/ (?=[0-9]{2}:[0-9]{2}$)/, (blank, at: number) => (at > 10 ? '+' : blank));
    const us = parseInstant(text);
    return us === undefined ? fault('invalid_instant', instantFault(text)) : { value: us };
  },
};

/** Longest cursor that is read. */
export const cursorLengthMax = 16_384;

/** The opaque `next_cursor` of an earlier page. One that is too long makes the whole request `cursor_too_large`. */
export const cursor: Value<string> = {
  jsonSchema: { type: 'string', minLength: 1, maxLength: cursorLengthMax },
  parse: (value) =>
    value.length > cursorLengthMax
      ? fault('cursor_too_large', `A cursor has at most ${cursorLengthMax} characters; use one as it was answered.`)
      : { value },
};

/** 1 to `max` visible ASCII characters, as a header carries them. */
export function visibleAscii(max: number): Value<string> {
  return {
    jsonSchema: { type: 'string', minLength: 1, maxLength: max, pattern: '^[!-~]+$' },
    parse: (value) =>
      value.length <= max && /^[!-~]+$/.test(value)
        ? { value }
        : fault('invalid_format', `Give 1 to ${max} visible ASCII characters.`),
  };
}

/** The key by which a request that is sent again is known. */
export const idempotencyKeyText: Value<string> = visibleAscii(255);
