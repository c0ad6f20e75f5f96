import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../harness/checkout.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

function smokeTest(env: Readonly<Record<string, string>>) {
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const script = join(root, 'deploy/image/smoke-test.mjs');
    execFile(process.execPath, [script], { env: { ...env, PATH: process.env['PATH'] } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, stdout, stderr }),
    );
  });
}

test('H25: the script of `helm test` sends a point, reads it back and puts away what it made', async () => {
  await using stack = await openTestStack();
  const tenant = await createTenant(stack.addresses.access);
  const keys = {
    WEIR_PROJECT_ID: tenant.projectId,
    WEIR_API_KEY: tenant.developerKey,
    WEIR_INGEST_KEY: tenant.ingestionKey,
  };

  const whole = await smokeTest({ WEIR_URL: stack.gatewayUrl, ...keys });
  expect(whole).toMatchObject({ code: 0, stderr: '' });
  expect(whole.stdout.match(/^ok .*$/gm)?.map((line) => line.replace(/^ok +| \(\d+ ms\)$/g, ''))).toEqual([
    'the gateway is ready',
    'the API describes itself',
    'the key opens its project',
    'a point is admitted',
    'its run succeeds',
    'the observation is read back',
    'the instrument of the test is archived',
  ]);

  const withoutKeys = await smokeTest({ WEIR_URL: stack.gatewayUrl });
  expect(withoutKeys).toMatchObject({ code: 0, stdout: expect.stringContaining('skipped a point there and back') });

  const refused = await smokeTest({ WEIR_URL: stack.gatewayUrl, ...keys, WEIR_API_KEY: 'wrong' });
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('FAILED  the key opens its project') });
});
