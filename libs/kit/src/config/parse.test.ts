import { describe, expect, test } from 'vitest';
import { base64Key, boolean, ConfigError, integer, list, oneOf, parseConfig, printConfig, url } from './index.js';

const settings = {
  port: { env: 'PORT', doc: 'Where it listens.', grammar: integer(0, 65_535), default: '80' },
  databaseUrl: { env: 'DATABASE_URL', doc: 'The database.', grammar: url('postgres'), secret: true },
  verbose: { env: 'VERBOSE', doc: 'Says more.', grammar: boolean, default: 'false' },
} as const;

describe('parseConfig', () => {
  test('reads by exact grammar and fills in defaults', () => {
    const config = parseConfig(settings, { DATABASE_URL: 'postgres://db/weir', VERBOSE: 'true' });
    expect(config).toEqual({ port: 80, databaseUrl: 'postgres://db/weir', verbose: true });
    expect(Object.isFrozen(config)).toBe(true);
  });

  test('tells every fault at once, by the name of its variable, without showing a secret', () => {
    const error = (() => {
      try {
        parseConfig(settings, { PORT: '1e3', DATABASE_URL: 'mysql://secret@db', VERBOSE: 'yes' });
      } catch (caught) {
        return caught as ConfigError;
      }
      return undefined;
    })();
    expect(error).toBeInstanceOf(ConfigError);
    expect(error?.faults).toHaveLength(3);
    expect(error?.message).toMatch(/PORT is "1e3", but must be an integer from 0 to 65535/);
    expect(error?.message).toMatch(/VERBOSE is "yes", but must be true or false/);
    expect(error?.message).not.toMatch(/secret@db/);
  });

  test('a variable without default is required', () => {
    expect(() => parseConfig(settings, {})).toThrow(/DATABASE_URL is required/);
  });
});

test('printConfig masks secrets', () => {
  expect(printConfig(settings, { DATABASE_URL: 'postgres://u:p@db/weir' })).toBe(
    'PORT=80\nDATABASE_URL=********\nVERBOSE=false',
  );
});

test.each([
  [integer(-5, 5), ['-5', '0', '5'], ['6', '-6', '05', '1.0', '+1', ' 1', '1e0', '']],
  [oneOf('a', 'b'), ['a', 'b'], ['c', '', 'A']],
  [boolean, ['true', 'false'], ['TRUE', '1', '']],
  [base64Key(3), ['AAAA'], ['AAA', 'AA==', 'AAAAA', '!!!!']],
  [url('nats', 'tls'), ['nats://h:1', 'tls://h'], ['http://h', 'h:1', '']],
])('%s accepts and refuses', (grammar, good, bad) => {
  for (const text of good) expect(grammar.parse(text), text).not.toBeUndefined();
  for (const text of bad) expect(grammar.parse(text), text).toBeUndefined();
});

test('a list is trimmed, and may be empty', () => {
  expect(list.parse('')).toEqual([]);
  expect(list.parse('a, b')).toEqual(['a', 'b']);
});
