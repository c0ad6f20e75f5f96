import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { declaredSettings, roles } from '../chart/declared-settings.js';
import { type Container, type Image, openImage, startContainer } from './container.js';

let image: Image;

beforeAll(() => {
  image = openImage();
});

afterAll(() => image?.[Symbol.dispose]());

/** Places where nothing answers, for all that a role must be told: it has to start, and to wait. */
function settingsOf(role: string): Record<string, string> {
  const given: Readonly<Record<string, string>> = {
    DATABASE_URL: 'postgres://weir:weir@127.0.0.1:5432/weir',
    REDIS_URL: 'redis://127.0.0.1:6379',
    NATS_URL: 'nats://127.0.0.1:4222',
    CURSOR_KEYS: Buffer.alloc(32).toString('base64'),
  };
  const declared = Object.values(declaredSettings[role] ?? {}).filter((setting) => setting.default === undefined);
  const needed = declared.map(({ env }) => [env, given[env] ?? '127.0.0.1:50052']);
  return { ...Object.fromEntries(needed), RPC_PLAIN: 'true', METRICS_ADDRESS: '127.0.0.1:9464', DRAIN_MS: '100' };
}

/** Asks inside of the container, again until there is an answer: the liveness that the chart's probes ask for. */
const isLive = `
  const [kind] = process.argv.slice(-1);
  const http = () => fetch('http://127.0.0.1:8080/livez').then(({ status }) => status === 200);
  const grpc = () => new Promise((resolve, reject) => {
    const { Client, credentials } = require('/app/node_modules/@grpc/grpc-js');
    const client = new Client('127.0.0.1:50051', credentials.createInsecure());
    const same = (bytes) => bytes;
    // HealthCheckRequest { service: "live" }, HealthCheckResponse { status: SERVING }
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', same, same, Buffer.from('\\n\\u0004live'), (error, answer) =>
      error === null ? resolve(answer.equals(Buffer.from([8, 1]))) : reject(error));
  });
  const ask = async (until) => {
    const live = await (GATEWAY ? http() : grpc()).catch((error) => (Date.now() > until ? String(error) : undefined));
    if (live === undefined) return setTimeout(() => ask(until), 100);
    const metrics = await fetch('http://127.0.0.1:9464/metrics').then((answer) => answer.text());
    console.log(JSON.stringify({ live, ready: /^weir_process_ready(?:\\{.*\\})? (\\d)$/m.exec(metrics)?.[1] }));
    process.exit();
  };
  ask(Date.now() + 60_000);
`;

async function askInside(container: Container, script: string): Promise<unknown> {
  // runc knows a container a moment after it was told to start it
  for (let left = 50; ; left--) {
    try {
      return JSON.parse(container.node(script));
    } catch (error) {
      if (left === 0) throw new Error(container.output(), { cause: error });
      await pause(200);
    }
  }
}

describe('H17: as any user, without rights, with nothing to write to and no network', () => {
  test.each(roles)('%s starts, serves, and exits 0 on SIGTERM', async (role) => {
    const container = startContainer(image, [role], settingsOf(role));
    const script = isLive.replace('GATEWAY', String(role === 'gateway'));
    const answer = await askInside(container, script).finally(() => container.output());
    expect(answer, container.output()).toEqual({ live: true, ready: '0' });
    expect(
      container.node("try { require('fs').writeFileSync('/app/x', '') } catch ({ code }) { console.log(code) }"),
    ).toBe('EROFS');
    expect(await container.stop(), container.output()).toBe(0);
  });

  test('what is told to stop while it waits ends, although it is the first process and minds no signals', async () => {
    await using silent = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const asked = once(silent, 'connection');
    const env = { DATABASE_URL: `postgres://weir:weir@127.0.0.1:${port}/weir` };
    const container = startContainer(image, ['migrate'], env, 'host');
    await Promise.race([asked, container.ended]);
    expect(await container.stop(), container.output()).toBe(143);
  });

  test('the command line tells its version', async () => {
    const container = startContainer(image, ['weir', '--version'], {});
    expect(await container.ended, container.output()).toBe(0);
    expect(container.output()).toBe(`${image.config.Labels['org.opencontainers.image.version']}\n`);
  });
});

test('S18: says what it is and what is in it, and has nothing to install with and no shell', () => {
  const { Labels, User } = image.config;
  expect(User).toBe('10001:10001');
  for (const name of ['title', 'description', 'licenses', 'version', 'revision', 'base.name']) {
    expect(Labels[`org.opencontainers.image.${name}`], name).toMatch(/./);
  }
  const list = JSON.parse(readFileSync(join(image.root, 'app/sbom.cdx.json'), 'utf8')) as {
    bomFormat: string;
    components: { name: string }[];
  };
  expect(list.bomFormat).toBe('CycloneDX');
  expect(list.components.map(({ name }) => name)).toEqual(expect.arrayContaining(['express', 'pg', 'zod']));
  const built = ['usr/local/lib/node_modules', 'app/node_modules/typescript', 'app/test'];
  expect(built.filter((path) => existsSync(join(image.root, path)))).toEqual([]);
  const programs = ['bin', 'sbin', 'usr/bin', 'usr/sbin', 'usr/local/bin'].flatMap((folder) =>
    existsSync(join(image.root, folder)) ? readdirSync(join(image.root, folder)) : [],
  );
  expect(programs).toContain('node');
  expect(programs.filter((name) => /^(r?ba|da|z|k|c)?sh$|^(npm|npx|yarn|apt|dpkg|perl|python)/.test(name))).toEqual([]);
});
