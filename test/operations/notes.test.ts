import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { chart, helm } from '../chart/helm.js';
import { root } from '../harness/checkout.js';
import { gatewayEnv } from '../harness/gateway-env.js';
import { openTestStack } from '../harness/stack.js';

/** `kubectl exec … -- COMMAND` runs the command here; anything else of kubectl is done already. */
const kubectl = `#!/bin/bash
while [ $# -gt 0 ] && [ "$1" != -- ]; do shift; done
[ $# = 0 ] || { shift; exec "$@"; }
`;
const weir = `#!/bin/bash
exec '${process.execPath}' '${root}/cli/dist/main.js' "$@"
`;

test('what Helm prints after an install makes a key, and its curl is answered', async () => {
  await using stack = await openTestStack();
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'weir-notes-'));
  opened.defer(() => rm(directory, { recursive: true }));
  for (const [name, text] of Object.entries({ kubectl, weir }))
    await writeFile(join(directory, name), text, { mode: 0o755 });

  const { stdout: notes } = helm('install', 'weir', chart, '--dry-run=client', '--namespace', 'weir');
  const steps = notes.slice(notes.indexOf('The first organization')).match(/^ {2}\S.*$/gm) ?? [];
  const script = ['set -euo pipefail', ...steps].join('\n').replace('http://127.0.0.1:8080', stack.gatewayUrl);
  const env = { ...gatewayEnv(stack), USER: 'ada', PATH: `${directory}:${process.env['PATH'] ?? ''}` };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
  const answer = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { data: { permissions: string[] } };
  expect(answer.data.permissions.length).toBeGreaterThan(40);
  const audit = await promisify(execFile)('weir', ['audit', '--limit', '1', '--json'], { env });
  expect(JSON.parse(audit.stdout)).toMatchObject({ items: [{ actor: { type: 'user', id: 'ada' } }] });
});
