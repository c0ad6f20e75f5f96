import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chown, copyFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect as connectPlain } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { promisify } from 'node:util';
import { usePeers } from '@weir/kit/rpc';
import { openPool, sql } from '@weir/kit/sql';
import { type DatabaseUrls, freePorts, makeLogins, startStack } from '@weir/stack';
import { afterEach, expect, test } from 'vitest';
import { type Certificate, createAuthority } from '../harness/certificates.js';
import { root } from '../harness/checkout.js';
import { type PrivateServers, startPrivateServers } from '../harness/private-servers.js';
import { createTenant } from '../harness/tenant.js';

const run = promisify(execFile);

afterEach(() => usePeers({ tlsCertFile: '', tlsKeyFile: '', tlsCaFile: '', tlsServerName: 'weir' }));

/** Has PostgreSQL answer with a certificate, and refuse who does not encrypt. */
async function encryptPostgres({ directory, databaseUrl }: PrivateServers, own: Certificate): Promise<void> {
  const data = join(directory, 'postgres');
  const { uid, gid } = await stat(data);
  for (const [name, file] of [
    ['server.crt', own.certificate],
    ['server.key', own.key],
  ] as const) {
    await copyFile(file, join(data, name));
    await chown(join(data, name), uid, gid);
  }
  await using pool = openPool({ url: databaseUrl, max: 1 });
  await writeFile(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
  await pool.query(sql`alter system set ssl = on`);
  await pool.query(sql`select pg_reload_conf()`);
}

/** Has NATS ask for encryption. */
async function encryptNats(servers: PrivateServers, own: Certificate): Promise<void> {
  const file = join(servers.directory, 'nats.conf');
  const tls = { cert_file: own.certificate, key_file: own.key };
  await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), tls }));
  await servers.kill('nats');
  await servers.start('nats');
}

/** Answers as Redis with a certificate. */
async function encryptRedis(url: string, own: Certificate): Promise<AsyncDisposable & { readonly url: string }> {
  const plain = new URL(url);
  const files = { cert: await readFile(own.certificate), key: await readFile(own.key) };
  const server = createServer(files, (socket) => {
    const redis = connectPlain(Number(plain.port), plain.hostname);
    for (const [one, other] of [
      [socket, redis],
      [redis, socket],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `rediss://:${plain.password}@127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

test('everything is encrypted: peers by certificates, servers by an authority that NODE_EXTRA_CA_CERTS names', async () => {
  await using opened = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'weir-encrypted-'));
  opened.defer(() => rm(directory, { recursive: true }));
  const authority = await createAuthority(directory);
  const own = await authority.issue('server', 'IP:127.0.0.1');
  const peer = await authority.issue('peer', 'DNS:weir');
  const servers = opened.use(await startPrivateServers());
  const logins = Object.entries(await makeLogins(servers.databaseUrl));
  await encryptPostgres(servers, own);
  await encryptNats(servers, own);
  const redis = opened.use(await encryptRedis(servers.redisUrl, own));
  const encrypted = (url: string): string => `${url}?sslmode=verify-full`;
  const databaseUrls = Object.fromEntries(
    logins.map(([name, url]) => [name, encrypted(url)]),
  ) as unknown as DatabaseUrls;
  const urls = {
    databaseUrl: encrypted(servers.databaseUrl),
    redisUrl: redis.url,
    natsUrl: servers.natsUrl.replace('nats:', 'tls:'),
  };
  const believing = { NODE_EXTRA_CA_CERTS: authority.certificate };

  const migrate = (env: Readonly<Record<string, string>>) =>
    run(process.execPath, [join(root, 'cli/dist/main.js'), 'migrate'], {
      env: { ...env, DATABASE_URL: urls.databaseUrl },
    });
  await expect(migrate({})).rejects.toThrow('unable to verify the first certificate');
  await migrate(believing);

  const files = { tlsCertFile: peer.certificate, tlsKeyFile: peer.key, tlsCaFile: authority.certificate };
  usePeers({ ...files, tlsServerName: 'weir' });
  const [metrics] = await freePorts(1);
  const env = {
    ...believing,
    TLS_CERT_FILE: files.tlsCertFile,
    TLS_KEY_FILE: files.tlsKeyFile,
    TLS_CA_FILE: files.tlsCaFile,
  };
  const envOf = { gateway: { METRICS_ADDRESS: `127.0.0.1:${metrics}` } };
  const stack = opened.use(await startStack({ servers: urls, databaseUrls, env, envOf }));
  const tenant = await createTenant(stack.addresses.access);
  const keys = {
    WEIR_URL: stack.gatewayUrl,
    WEIR_PROJECT_ID: tenant.projectId,
    WEIR_API_KEY: tenant.developerKey,
    WEIR_INGEST_KEY: tenant.ingestionKey,
  };
  await run(process.execPath, [join(root, 'deploy/image/smoke-test.mjs')], { env: keys });
  const told = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text();
  expect(told).toMatch(/^weir_gateway_limits_degraded 0$/m);
});
