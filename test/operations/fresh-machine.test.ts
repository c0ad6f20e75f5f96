import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../harness/checkout.js';

const run = promisify(execFile);
const mayMakeOne = await run('bash', [
  '-c',
  '[ "$(id -u)" = 0 ] && command -v debootstrap && unshare --mount --pid --fork true',
]).then(
  () => true,
  () => false,
);

test.runIf(mayMakeOne)(
  'D1, D3, D4: from a machine with Node and apt alone to the first 200 in 5 minutes, again in 15 s, and without root',
  { timeout: 900_000 },
  async () => {
    const { stdout } = await run(join(root, 'test/operations/fresh-machine.sh'));
    process.stdout.write(`D1, D3: ${stdout.trim().replaceAll('\n', ', ')}\n`);
    expect(stdout).toMatch(
      /^first \d+ s to the first 200\nsecond \d+ s to the first 200\nperson \d+ s to the first 200\n$/,
    );
  },
);
