import { expect, test } from 'vitest';
import { fileNameText } from '../http/parameters.js';
import { parserPreview } from './previews.js';

const pattern = new RegExp(String(fileNameText.jsonSchema['pattern']), 'u');

test.each<[string, boolean]>([
  ['A.csv', true],
  ['Pegel Süd/2026 🌊.dat', true],
  ['🌊'.repeat(1024), true],
  ['🌊'.repeat(1025), false],
  ['', false],
  ['A\n.csv', false],
  ['A\u007f.csv', false],
  ['A\u0085.csv', false],
])('%# a preview takes a file name where ingestion does', (name, isTaken) => {
  expect('value' in fileNameText.parse(name)).toBe(isTaken);
  expect(parserPreview.safeParse({ content: '', file_name: name }).success).toBe(isTaken);
  expect(pattern.test(name) && [...name].length <= 1024).toBe(isTaken);
});
