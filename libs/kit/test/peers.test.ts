import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { AuditServiceDefinition } from '@weir/proto/audit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../src/config/index.js';
import { createLogger } from '../src/log/index.js';
import { connect, isServing, served, startRpcServer, usePeers, watchPeers } from '../src/rpc/index.js';

const none = { tlsCertFile: '', tlsKeyFile: '', tlsCaFile: '', tlsServerName: 'weir' };

let directory: string;
const fileOf = (name: string) => join(directory, name);

/** Makes an authority, and a certificate of it for a name. */
async function issue(authority: string, certificate: string, name: string): Promise<void> {
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args);
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const [caKey, ca] = [fileOf(`${authority}.key`), fileOf(`${authority}.pem`)];
  await openssl('req', '-x509', ...key, '-keyout', caKey, '-out', ca, '-subj', `/CN=${authority}`);
  await openssl(
    ...['req', '-x509', ...key, '-CA', ca, '-CAkey', caKey, '-subj', `/CN=${name}`],
    ...['-addext', `subjectAltName=DNS:${name}`, '-addext', 'basicConstraints=critical,CA:false'],
    ...['-keyout', fileOf(`${certificate}.key`), '-out', fileOf(`${certificate}.pem`)],
  );
}

/** The settings of a peer that has one certificate and believes one authority. */
const peer = (certificate: string, authority: string) => ({
  ...none,
  tlsCertFile: fileOf(`${certificate}.pem`),
  tlsKeyFile: fileOf(`${certificate}.key`),
  tlsCaFile: fileOf(`${authority}.pem`),
});

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'weir-peers-'));
  await issue('ours', 'service', 'weir');
  await issue('foreign', 'stranger', 'weir');
});
afterEach(() => usePeers(none));
afterAll(() => rm(directory, { recursive: true }));

/** An address of this machine that nobody listens at. */
async function freeAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `127.0.0.1:${port}`;
}

async function startServer() {
  return await startRpcServer({
    listenAddress: '127.0.0.1:0',
    services: [served(AuditServiceDefinition, { listEntries: async () => ({ entries: [] }) })],
    isReady: async () => {},
    log: createLogger('test', 'silent'),
    drainMs: 0,
  });
}

async function call(address: string): Promise<string> {
  using client = connect(AuditServiceDefinition, address, { timeoutMs: 3000 });
  return await client.listEntries({ limit: 1 }).then(
    () => 'answered',
    (error: { code: string }) => error.code,
  );
}

test('a service answers those who show a certificate of the deployment, and nobody else', async () => {
  usePeers(peer('service', 'ours'));
  await using server = await startServer();
  expect(await call(server.address)).toBe('answered');
  expect(await isServing(server.address)).toBe(true);
  usePeers(none);
  expect(await call(server.address)).toBe('dependency_unavailable');
  expect(await isServing(server.address)).toBe(false);
  // believes the service, and is not believed
  usePeers(peer('stranger', 'ours'));
  expect(await call(server.address)).toBe('dependency_unavailable');
  // would be believed, and does not believe
  usePeers(peer('service', 'foreign'));
  expect(await call(server.address)).toBe('dependency_unavailable');
  usePeers({ ...peer('service', 'ours'), tlsServerName: 'other' });
  expect(await call(server.address)).toBe('dependency_unavailable');
});

/** Who has issued the certificate that a server shows. */
async function issuerAt(address: string, certificate: string): Promise<string> {
  const [cert, key] = await Promise.all(['pem', 'key'].map((end) => readFile(fileOf(`${certificate}.${end}`))));
  const socket = connectTls({
    ...{ host: '127.0.0.1', port: Number(address.split(':')[1]), cert, key, ALPNProtocols: ['h2'] },
    rejectUnauthorized: false,
  });
  await once(socket, 'secureConnect');
  const { issuer } = socket.getPeerCertificate();
  socket.destroy();
  return String(issuer.CN);
}

test('certificates that are renewed are shown and believed without a restart, whole ones only', async () => {
  const put = (certificate: string, authority: string, ends: readonly string[] = ['pem', 'key']) =>
    Promise.all([
      ...ends.map((end) => copyFile(fileOf(`${certificate}.${end}`), fileOf(`current.${end}`))),
      copyFile(fileOf(`${authority}.pem`), fileOf('current-ca.pem')),
    ]);
  await put('service', 'ours');
  usePeers(peer('current', 'current-ca'));
  await using watching = watchPeers(createLogger('test', 'silent'), 10);
  await using server = await startServer();
  expect(await issuerAt(server.address, 'service')).toBe('ours');
  expect(await call(server.address)).toBe('answered');

  // a certificate whose key is still to come
  await put('stranger', 'foreign', ['pem']);
  watching.wake();
  expect(await issuerAt(server.address, 'service')).toBe('ours');
  expect(await call(server.address)).toBe('answered');

  await put('stranger', 'foreign');
  await expect.poll(() => issuerAt(server.address, 'stranger')).toBe('foreign');
  expect(await call(server.address)).toBe('answered');
  usePeers(peer('service', 'ours'));
  expect(await call(server.address)).toBe('dependency_unavailable');
});

test('health alone answers where it is asked without a certificate', async () => {
  usePeers(peer('service', 'ours'));
  const healthAddress = await freeAddress();
  await using _ = await startRpcServer({
    listenAddress: '127.0.0.1:0',
    healthAddress,
    services: [served(AuditServiceDefinition, { listEntries: async () => ({ entries: [] }) })],
    isReady: async () => {},
    log: createLogger('test', 'silent'),
    drainMs: 0,
  });
  usePeers(none);
  expect(await isServing(healthAddress)).toBe(true);
  expect(await call(healthAddress)).toBe('internal');
});

test.each([
  [{ tlsCertFile: 'a.pem' }, 'give all three, or none'],
  [
    { tlsCertFile: '/nowhere/a', tlsKeyFile: '/nowhere/b', tlsCaFile: '/nowhere/c' },
    'TLS_CERT_FILE: the file /nowhere/a cannot be read: ENOENT',
  ],
])('refuses %j', (given, message) => {
  expect(() => usePeers({ ...none, ...given })).toThrow(message);
});

describe('a service without certificates', () => {
  const started = (listenAddress: string, rpcPlain = false) =>
    usePeers({ ...none, listenAddress, healthAddress: '', rpcPlain });

  test.each(['0.0.0.0:50051', '[::]:50051', '10.0.0.7:50051', 'weir:50051', '127.0.0.1.example:50051'])(
    'does not listen at %s, and says what to do, unless it is told to be plain',
    (address) => {
      expect(() => started(address)).toThrow(
        /LISTEN_ADDRESS is ".+", where anybody may call.+ TLS_CERT_FILE.+ RPC_PLAIN=true/,
      );
      expect(() => started(address)).toThrow(ConfigError);
      started(address, true);
    },
  );

  test.each(['127.0.0.1:0', '127.8.0.1:50051', 'localhost:50051', '[::1]:50051'])('listens at %s', (address) => {
    started(address);
  });

  test('is not what a process is that has no server of gRPC, or certificates', () => {
    usePeers({ ...none, listenAddress: '0.0.0.0:8080' });
    usePeers({ ...peer('service', 'ours'), listenAddress: '0.0.0.0:50051', healthAddress: '', rpcPlain: false });
  });
});
