import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { chart, helm } from '../chart/helm.js';
import { root } from '../harness/checkout.js';
import { gatewayEnv } from '../harness/gateway-env.js';
import { openTestStack } from '../harness/stack.js';

/** `kubectl exec … -- weir …` runs the command line here; anything else of kubectl is done already. */
const kubectl = `#!/bin/bash
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# = 0 ] || { shift 2; exec '${process.execPath}' '${root}/cli/dist/main.js' "$@"; }
`;

test('what Helm prints after an install makes a key, and its curl is answered', async () => {
  await using stack = await openTestStack();
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'weir-notes-'));
  opened.defer(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'kubectl'), kubectl);
  await chmod(join(directory, 'kubectl'), 0o755);

  const { stdout: notes } = helm('install', 'weir', chart, '--dry-run=client', '--namespace', 'weir');
  const steps = notes.slice(notes.indexOf('The first organization')).match(/^ {2}\S.*$/gm) ?? [];
  const script = ['set -euo pipefail', ...steps].join('\n').replace('http://127.0.0.1:8080', stack.gatewayUrl);
  const env = { ...gatewayEnv(stack), PATH: `${directory}:${process.env['PATH'] ?? ''}` };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
  const answer = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { data: { permissions: string[] } };
  expect(answer.data.permissions.length).toBeGreaterThan(40);
});
