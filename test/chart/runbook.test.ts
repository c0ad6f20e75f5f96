import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './helm.js';
import { manifestsOf, variantOf } from './variants.js';

const runbook = readFileSync(join(root, 'docs/runbook.md'), 'utf8');
const asked = (label: string): string[] => [
  ...new Set(
    [...runbook.matchAll(new RegExp(`-l app.kubernetes.io/${label}=(\\S+)`, 'g'))].map(([, value = '']) => value),
  ),
];

test('O6: labels that the runbook asks for are those of pods that the chart makes, of the bundled servers too', () => {
  const text = JSON.stringify(manifestsOf(variantOf('bundled')));
  const components = asked('component');
  expect(components).toEqual(expect.arrayContaining(['processor', 'migrations', 'nats', 'redis']));
  for (const component of components) expect(text).toContain(`"app.kubernetes.io/component":"${component}"`);
  // what others install is called by its own name; beside it stands what the chart brings
  expect(asked('name').filter((name) => !components.includes(name))).toEqual(['opentelemetry-collector']);
});
