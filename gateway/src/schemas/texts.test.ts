import { expect, test } from 'vitest';
import { aliasText, instantInput, shortIdText } from './texts.js';

test.each([
  ['2026-02-29T00:00:00Z', '2026-02 has no day 29; give 01 to 28.'],
  ['2026-02-28T00:00:00', /^The time has no zone/],
  ['2026-02-28', /^Give an RFC 3339 date-time/],
])('the instant %s is refused by its reason', (text, message) => {
  expect(instantInput.safeParse(text).error?.issues[0]?.message).toMatch(message);
});

test.each([
  ['an alias', aliasText, '1st', /^Give a word of 1 to 64 characters, .* and the first no digit\.$/],
  ['an id', shortIdText, 'short', /^Give 21 characters, each a letter/],
])('%s of the wrong form is told in words', (_, schema, text, message) => {
  expect(schema.safeParse(text).error?.issues[0]?.message).toMatch(message);
});
