import { type ChildProcess, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePorts } from '@weir/stack';
import { type Answer, helmProgram, kubectlProgram, runProgram } from '../helm.js';

/** An API server of Kubernetes with its etcd, and nothing else: objects are judged and kept, no pod ever runs. */
export interface Cluster extends AsyncDisposable {
  kubectl(args: readonly string[], input?: string): Answer;
  helm(...args: readonly string[]): Answer;
}

/** A program that `./dev test chart` finds or builds. */
function toolOf(name: string): string {
  const found = process.env[name];
  if (found === undefined)
    throw new Error(`${name} is not set: run ./dev test chart, which makes what these tests need`);
  return found;
}

function startProgram(directory: string, name: string, program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const log = createWriteStream(join(directory, `${name}.log`));
  child.stdout?.pipe(log, { end: false });
  child.stderr?.pipe(log, { end: false });
  return child;
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    // its certificate is one that it makes for itself
    const asked = request({ host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    asked.once('error', () => resolve(false));
    asked.end();
  });
}

async function waitUntilReady(port: number, server: ChildProcess, directory: string): Promise<void> {
  while (!(await isReady(port))) {
    if (server.exitCode !== null) {
      throw new Error(`kube-apiserver ended:\n${readFileSync(join(directory, 'apiserver.log'), 'utf8').slice(-4000)}`);
    }
    await pause(200);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** The keys that tokens of service accounts are signed with, without which the server does not start. */
function writeServiceAccountKeys(directory: string): { readonly signing: string; readonly checking: string } {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const [signing, checking] = [join(directory, 'signing.pem'), join(directory, 'checking.pem')];
  writeFileSync(signing, privateKey.export({ type: 'pkcs1', format: 'pem' }));
  writeFileSync(checking, publicKey.export({ type: 'spki', format: 'pem' }));
  return { signing, checking };
}

function kubeconfig(port: number): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: `https://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'test', user: { token: 'test' } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    'current-context': 'test',
  });
}

/** Starts an API server of its own on free ports, with the CRDs of the Gateway API, the Prometheus operator and KEDA. */
export async function startCluster(): Promise<Cluster> {
  const [etcd, apiserver, crds] = [toolOf('WEIR_ETCD'), toolOf('WEIR_KUBE_APISERVER'), toolOf('WEIR_CRDS')];
  await using opened = new AsyncDisposableStack();
  const directory = mkdtempSync(join(tmpdir(), 'weir-cluster-'));
  opened.defer(() => rmSync(directory, { recursive: true, force: true }));
  const [clients = 0, peers = 0, port = 0] = await freePorts(3);
  const etcdUrl = `http://127.0.0.1:${clients}`;
  const etcdArgs = ['--data-dir', join(directory, 'etcd'), '--listen-peer-urls', `http://127.0.0.1:${peers}`];
  // what it keeps is thrown away: nothing is gained by waiting for the disk
  etcdArgs.push('--listen-client-urls', etcdUrl, '--advertise-client-urls', etcdUrl, '--unsafe-no-fsync');
  const store = startProgram(directory, 'etcd', etcd, etcdArgs);
  opened.defer(() => end(store));
  const { signing, checking } = writeServiceAccountKeys(directory);
  writeFileSync(join(directory, 'tokens.csv'), 'test,admin,admin,system:masters\n');
  const server = startProgram(directory, 'apiserver', apiserver, [
    `--etcd-servers=${etcdUrl}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
    `--cert-dir=${join(directory, 'certificates')}`,
    '--service-cluster-ip-range=10.96.0.0/16',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-signing-key-file=${signing}`,
    `--service-account-key-file=${checking}`,
    `--token-auth-file=${join(directory, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    // service accounts and their tokens are made by a controller, and none runs here
    '--disable-admission-plugins=ServiceAccount',
  ]);
  opened.defer(() => end(server));
  await waitUntilReady(port, server, directory);
  const config = join(directory, 'kubeconfig');
  writeFileSync(config, kubeconfig(port));
  const env = { PATH: process.env['PATH'], HOME: directory, KUBECONFIG: config };
  const kubectl: Cluster['kubectl'] = (args, input) =>
    runProgram(kubectlProgram, args, { env, ...(input !== undefined && { input }) });
  const made = kubectl(['create', '--filename', crds]);
  if (made.code !== 0) throw new Error(`CRDs were refused: ${made.stderr}`);
  kubectl(['wait', '--for=condition=Established', 'crd', '--all', '--timeout=60s']);
  const all = opened.move();
  return {
    kubectl,
    helm: (...args) => runProgram(helmProgram, args, { env }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
