import { expressionCharactersMax, expressionDepthMax, expressionNodesMax, reservedWords } from '@weir/expression';
import { expect, test } from 'vitest';
import { expressionLanguage } from './expression-language.js';

test('the document tells every word of the language, and its limits', () => {
  const words = new Set(expressionLanguage.match(/`[^`]+`/g)?.flatMap((code) => code.match(/[a-z0-9]+/g) ?? []));
  // these mean nothing in an expression, and name nothing either
  const idle = ['true', 'false', 'null'];
  expect([...reservedWords].filter((word) => !words.has(word))).toEqual(idle);
  for (const max of [expressionCharactersMax, expressionDepthMax, expressionNodesMax]) {
    expect(expressionLanguage).toContain(String(max));
  }
});
