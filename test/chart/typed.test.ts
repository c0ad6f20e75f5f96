import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Manifest, root } from './helm.js';
import { manifestsOf, variants } from './variants.js';

const packages: readonly (readonly [RegExp, string])[] = [
  [/^keda\.sh\//, '@kubernetes-models/keda'],
  [/^monitoring\.coreos\.com\//, '@kubernetes-models/prometheus-operator'],
  [/^gateway\.networking\.k8s\.io\//, '@kubernetes-models/gateway-api'],
];

function moduleOf({ apiVersion, kind }: Manifest): string {
  const from = packages.find(([pattern]) => pattern.test(apiVersion))?.[1] ?? 'kubernetes-models';
  return `${from}/${apiVersion}/${kind}`;
}

/** A module that compiles when every object is what its type says, without a member more. */
function typed(manifests: readonly Manifest[]): string {
  const objects = manifests.map(
    (manifest, index) =>
      `export const object${index}: import('${moduleOf(manifest)}').I${manifest.kind} = ${JSON.stringify(manifest, null, 1)};\n`,
  );
  return objects.join('');
}

function compile(files: Readonly<Record<string, string>>): { code: number | null; stdout: string } {
  const folder = mkdtempSync(join(tmpdir(), 'weir-typed-chart-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    const options = { strict: true, noEmit: true, skipLibCheck: true, target: 'es2023', module: 'preserve', types: [] };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const project = { compilerOptions: options, files: Object.keys(files) };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(project));
    const { status, stdout } = spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
    return { code: status, stdout };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('every object is what the types of its kind say', () => {
  test('all variants', () => {
    const files = Object.fromEntries(variants.map((variant) => [`${variant.name}.ts`, typed(manifestsOf(variant))]));
    expect(compile(files)).toEqual({ code: 0, stdout: '' });
  });

  test('a misspelt member and a wrong kind of value would be found', () => {
    const [deployment] = manifestsOf(variants[0] ?? { name: '', args: [] }).filter(({ kind }) => kind === 'Deployment');
    if (deployment === undefined) throw new Error('no Deployment');
    const spec = deployment['spec'] as object;
    const { stdout } = compile({
      'misspelt.ts': typed([{ ...deployment, spec: { ...spec, minReadySecond: 1 } }]),
      'text.ts': typed([{ ...deployment, spec: { ...spec, minReadySeconds: '1' } }]),
    });
    expect(stdout).toMatch(/misspelt\.ts.*minReadySecond/);
    expect(stdout).toMatch(/text\.ts.*string/);
  });
});

/** promtool of Debian's package prometheus, where it is there. */
const promtool = spawnSync('promtool', ['--version']).status === 0;

test.skipIf(!promtool)('rules in a PrometheusRule are what Prometheus takes (needs promtool)', () => {
  const rules = variants.flatMap((variant) => manifestsOf(variant).filter(({ kind }) => kind === 'PrometheusRule'));
  const folder = mkdtempSync(join(tmpdir(), 'weir-rules-'));
  try {
    for (const [index, { spec }] of rules.entries()) {
      const file = join(folder, `${index}.json`);
      writeFileSync(file, JSON.stringify(spec));
      execFileSync('promtool', ['check', 'rules', file]);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
