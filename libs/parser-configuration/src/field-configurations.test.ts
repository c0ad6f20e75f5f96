import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parserConfiguration } from './index.js';

/** What describes the files of loggers that are known, and which of it is refused. */
const fieldConfigurations = JSON.parse(
  readFileSync(new URL('../test/fixtures/field-configurations.json', import.meta.url), 'utf8'),
) as Record<string, unknown>;
const refused = new Set([
  // a format that Weir does not have
  'tsg-underway.cnv',
  // a time of day without a date
  'vegabar-time-only.txt',
]);

test.each(Object.entries(fieldConfigurations))('%s', (file, configuration) => {
  const { error } = parserConfiguration.safeParse(configuration);
  const faults = error?.issues.map(({ path }) => path.join('/')) ?? [];
  expect(faults).toEqual(refused.has(file) ? ['timestamp/input_format'] : []);
});
