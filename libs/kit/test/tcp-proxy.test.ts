import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startTcpProxy } from '../src/testing/index.js';

test('nothing that is said once a slow link is well overtakes what was said before', async () => {
  const all = 'first second';
  const heard = Promise.withResolvers<string>();
  const server = createServer((socket) => {
    let said = '';
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      said += String(bytes);
      if (said.length === all.length) heard.resolve(said);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  await using proxy = await startTcpProxy(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  const client = connect(Number(proxy.address.split(':')[1]), '127.0.0.1');
  await once(client, 'connect');
  proxy.begin({ kind: 'latency', ms: 500 });
  client.write('first ');
  await delay(100);
  proxy.begin({ kind: 'none' });
  client.write('second');
  expect(await heard.promise).toBe(all);
  client.destroy();
  server.close();
});
