import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Addresses } from '../stack/process-specs.js';
import { openDemo } from './demo.js';

test('a demo is not made anew because the gateway is busy', async () => {
  const answers = [503, 429, 500, 200];
  const gateway = createServer((_req, res) => res.writeHead(answers.shift() ?? 404).end());
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const folder = mkdtempSync(join(tmpdir(), 'weir-demo-'));
  try {
    const file = join(folder, 'demo.json');
    writeFileSync(file, JSON.stringify({ apiKey: 'key', projectId: 'remembered' }));
    const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
    expect(await openDemo(url, {} as Addresses, file)).toMatchObject({ projectId: 'remembered' });
    expect(answers).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
    gateway.close();
  }
});
