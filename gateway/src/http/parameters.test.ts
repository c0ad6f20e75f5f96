import { expect, test } from 'vitest';
import {
  boolean,
  cursor,
  fileNameText,
  id,
  idList,
  instant,
  integer,
  listOf,
  oneOf,
  shortId,
  type Value,
  visibleAscii,
} from './parameters.js';

const read = <T>(value: Value<T>, text: string) => {
  const parsed = value.parse(text);
  return 'value' in parsed ? parsed.value : parsed.fault.code;
};

test.each<[Value<unknown>, string, unknown]>([
  [integer(-5, 100), '0', 0],
  [integer(-5, 100), '100', 100],
  [integer(-5, 100), '-5', -5],
  [integer(-5, 100), '-6', 'out_of_range'],
  [integer(-5, 100), '101', 'out_of_range'],
  [integer(-5, 100), '-0', 'invalid_integer'],
  [integer(-5, 100), ' 1', 'invalid_integer'],
  [integer(-5, 100), '0x1', 'invalid_integer'],
  [integer(-5, 100), '١', 'invalid_integer'],
  [boolean, 'true', true],
  [boolean, 'false', false],
  [boolean, '1', 'invalid_boolean'],
  [oneOf('asc', 'desc'), 'desc', 'desc'],
  [oneOf('asc', 'desc'), 'Desc', 'invalid_choice'],
  [oneOf('asc', 'desc'), 'toString', 'invalid_choice'],
  [id, 'x', 'x'],
  [id, '𝒳'.repeat(128), '𝒳'.repeat(128)],
  [id, 'x'.repeat(129), 'invalid_id'],
  [id, ' \t\u00a0', 'invalid_id'],
  [id, '019C139F-2c00-7000-8000-2F5F2C7C1100', '019c139f-2c00-7000-8000-2f5f2c7c1100'],
  [idList(1, 2), 'b,a,B', ['b', 'a']],
  [idList(1, 2), 'a,b,c', 'out_of_range'],
  [idList(1, 2), 'a,', 'invalid_id'],
  [listOf('mean', 'max'), 'max,mean,max', ['max', 'mean']],
  [listOf('mean', 'max'), 'mean,', 'invalid_choice'],
  [instant, '2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12) * 1000],
  [instant, '2026-01-31T12:00:00.1234567+02:00', Date.UTC(2026, 0, 31, 10) * 1000 + 123_456],
  [instant, '2026-01-31T12:00:00 02:00', Date.UTC(2026, 0, 31, 10) * 1000],
  [instant, '2026-01-31T12:00:00', 'invalid_instant'],
  [instant, '2026-01-31 12:00', 'invalid_instant'],
  [instant, '2026-01-31', 'invalid_instant'],
  [cursor, 'x'.repeat(16_384), 'x'.repeat(16_384)],
  [cursor, 'x'.repeat(16_385), 'cursor_too_large'],
  [visibleAscii(3), 'a~!', 'a~!'],
  [visibleAscii(3), 'a b', 'invalid_format'],
  [visibleAscii(3), 'é', 'invalid_format'],
  [visibleAscii(3), 'abcd', 'invalid_format'],
])('%# %s', (value, text, expected) => {
  expect(read(value, text)).toEqual(expected);
});

test.each([
  ['a'.repeat(20), 'too_short'],
  ['a'.repeat(22), 'too_long'],
])('an id of 21 characters, given %s: says that it has exactly as many', (text, code) => {
  expect(shortId.parse(text)).toEqual({ fault: { code, message: 'Give exactly 21 characters.' } });
});

test.each([
  ['a widget id', shortId, 'é'.repeat(21), 'Give 21 characters, each a letter from A to Z or a to z, a digit, - or _.'],
  ['a file name', fileNameText, 'a\nb.csv', 'Give a name without control characters.'],
])('%s of the wrong form is told in words', (_, value, text, message) => {
  expect(value.parse(text)).toEqual({ fault: { code: 'invalid_format', message } });
});

test.each([
  ['2026-02-29T00:00:00 02:00', '2026-02 has no day 29; give 01 to 28.'],
  ['2026-02-28T00:00:00', /^The time has no zone/],
])('the instant %s is refused by its reason', (text, message) => {
  expect(instant.parse(text)).toMatchObject({
    fault: { code: 'invalid_instant', message: expect.stringMatching(message) },
  });
});
