import { ConfigError } from '@weir/kit/config';
import { WeirError } from '@weir/kit/errors';
import { CommanderError } from 'commander';
import { describe, expect, test } from 'vitest';
import { formatFailure, toFailure } from './failure.js';

describe('toFailure', () => {
  test.each([
    [
      new CommanderError(1, 'commander.unknownOption', "error: unknown option '--x'"),
      2,
      'usage',
      "unknown option '--x'",
    ],
    [
      new ConfigError(['ACCESS_ADDRESS is required']),
      78,
      'configuration',
      'The configuration has 1 fault(s):\n  ACCESS_ADDRESS is required',
    ],
    [new WeirError('not_found', 'There is no such key.'), 1, 'not_found', 'There is no such key.'],
    [new Error('broken'), 1, 'internal', 'broken'],
    ['thrown', 1, 'internal', 'thrown'],
  ])('%s', (error, exitCode, code, message) => {
    expect(toFailure(error)).toEqual({ exitCode, code, message, details: [] });
  });

  test('help and version are no failures', () => {
    expect(toFailure(new CommanderError(0, 'commander.helpDisplayed', '(outputHelp)'))).toBeUndefined();
  });
});

test('formatFailure tells each thing once', () => {
  const details = [
    { path: '/name', code: 'x', message: 'The name is bad.' },
    { path: '/limit', code: 'y', message: 'The limit is bad.' },
  ];
  const failure = { exitCode: 1, code: 'invalid_request', message: 'The name is bad.', details };
  expect(formatFailure(failure, false)).toBe('weir: The name is bad.\n  /limit: The limit is bad.\n');
  expect(JSON.parse(formatFailure(failure, true))).toEqual({
    error: { code: 'invalid_request', message: 'The name is bad.', details },
  });
});
