import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import openapiTS, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { root } from '../harness/checkout.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

const compilerOptions = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
};

/** Runs Node in a folder. */
function runNode(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, { cwd, env: { ...env, PATH: process.env['PATH'] } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

/** A folder in which packages are found as in this repository. */
async function openFolder() {
  const path = await mkdtemp(join(tmpdir(), 'weir-typed-client-'));
  await symlink(join(root, 'node_modules'), join(path, 'node_modules'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}

test('a client that is typed by the served document alone compiles, and works', async () => {
  await using stack = await openTestStack();
  const tenant = await createTenant(stack.addresses.access);
  await using folder = await openFolder();
  const document = new URL('/dev-api/v1/openai.json', stack.gatewayUrl);
  // a member with a default may be left out of a request
  const types = astToString(await openapiTS(document, { defaultNonNullable: false }));
  await writeFile(join(folder.path, 'weir.ts'), types);
  await copyFile(join(root, 'test/fixtures/typed-client.ts.txt'), join(folder.path, 'client.ts'));
  await writeFile(join(folder.path, 'package.json'), JSON.stringify({ type: 'module' }));
  await writeFile(join(folder.path, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }));

  const compiled = await runNode(folder.path, [join(root, 'node_modules/.bin/tsc'), '-p', '.']);
  expect(compiled).toEqual({ code: 0, stdout: '', stderr: '' });
  const { code, stdout, stderr } = await runNode(folder.path, ['client.js'], {
    WEIR_URL: stack.gatewayUrl,
    WEIR_PROJECT_ID: tenant.projectId,
    WEIR_API_KEY: tenant.developerKey,
    WEIR_INGEST_KEY: tenant.ingestionKey,
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(JSON.parse(stdout)).toEqual({
    siteId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    variables: [['Water level', 'ingested']],
    series: [{ timestamps: ['2026-01-31T12:00:00.000Z', '2026-01-31T12:10:00.000Z'], values: [1.532, 1.528] }],
    widgets: ['time_series'],
    stale: 'revision_conflict',
  });
});
