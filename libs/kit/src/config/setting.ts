/** How one setting is read from its text. */
export interface Grammar<T> {
  /** For a person: what is accepted, e.g. "an integer from 1 to 65535". */
  readonly accepts: string;
  /** The value, or undefined when the text is not accepted. */
  readonly parse: (text: string) => T | undefined;
}

/** One declared setting of a process. */
export interface Setting<T> {
  /** Environment variable, UPPER_SNAKE_CASE, units last. */
  readonly env: string;
  /** One sentence: what it is for. */
  readonly doc: string;
  readonly grammar: Grammar<T>;
  /** Used when the variable is absent, as text; none means that it is required. */
  readonly default?: string;
  /** A secret is masked whenever settings are printed. */
  readonly secret?: boolean;
}

const exactInteger = /^-?(0|[1-9][0-9]*)$/;

/** Integers by exact grammar within bounds (no `1e3`, no blanks). */
export function integer(min: number, max: number): Grammar<number> {
  return {
    accepts: `an integer from ${min} to ${max}`,
    parse: (text) => {
      const value = Number(text);
      return exactInteger.test(text) && value >= min && value <= max ? value : undefined;
    },
  };
}

/** `true` or `false`. */
export const boolean: Grammar<boolean> = {
  accepts: 'true or false',
  parse: (text) => (text === 'true' ? true : text === 'false' ? false : undefined),
};

/** Any text that is not empty. */
export const text: Grammar<string> = {
  accepts: 'a text that is not empty',
  parse: (value) => (value === '' ? undefined : value),
};

/** One of a closed list of words. */
export function oneOf<const W extends string>(...words: readonly W[]): Grammar<W> {
  return { accepts: `one of ${words.join(', ')}`, parse: (value) => words.find((word) => word === value) };
}

/** A comma-separated list, possibly empty. */
export const list: Grammar<readonly string[]> = {
  accepts: 'a comma-separated list, possibly empty',
  parse: (value) => (value === '' ? [] : value.split(',').map((item) => item.trim())),
};

/** A URL of one of the given protocols (without the colon). */
export function url(...protocols: readonly string[]): Grammar<string> {
  return {
    accepts: `a URL with ${protocols.map((p) => `${p}://`).join(' or ')}`,
    parse: (value) => {
      const parsed = URL.parse(value);
      return parsed !== null && protocols.includes(parsed.protocol.slice(0, -1)) ? value : undefined;
    },
  };
}

/** host:port, or a gRPC target such as `dns:///name:port`. */
export const address: Grammar<string> = {
  accepts: 'host:port',
  parse: (value) => (/^\S+:[0-9]{1,5}$/.test(value) ? value : undefined),
};

/** Base64 of exactly `bytes` bytes. */
export function base64Key(bytes: number): Grammar<Buffer> {
  return {
    accepts: `base64 of ${bytes} bytes`,
    parse: (value) => {
      const decoded = Buffer.from(value, 'base64');
      return decoded.length === bytes && decoded.toString('base64') === value ? decoded : undefined;
    },
  };
}
