import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What an image says of itself, as much of it as is asked about. */
export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly WorkingDir: string;
  readonly Labels: Readonly<Record<string, string>>;
}

/** An image, with its files where runc finds them. */
export interface Image extends Disposable {
  readonly config: ImageConfig;
  readonly root: string;
}

/** A container that was started. */
export interface Container {
  /** Runs a script of Node inside, and answers what it prints; fails when it does. */
  node(script: string): string;
  /** Tells the process to stop, and answers its exit code. */
  stop(): Promise<number | null>;
  /** The exit code of a process that ends by itself. */
  readonly ended: Promise<number | null>;
  /** What it printed until now. */
  output(): string;
}

const buildah = (...args: readonly string[]): string => execFileSync('buildah', args, { encoding: 'utf8' }).trim();

/** Opens the image that `./dev test image` has built. */
export function openImage(): Image {
  const name = process.env['WEIR_IMAGE'];
  if (name === undefined) throw new Error('WEIR_IMAGE is not set: run ./dev test image, which builds it');
  const { OCIv1 } = JSON.parse(buildah('inspect', '--type', 'image', name)) as { OCIv1: { config: ImageConfig } };
  const container = buildah('from', '--pull-never', name);
  return {
    config: OCIv1.config,
    root: buildah('mount', container),
    [Symbol.dispose]: () => void buildah('rm', container),
  };
}

/** One of its own with nothing but a loopback, or that of the machine. */
type Network = 'none' | 'host';

/** As Kubernetes runs a pod of the profile "restricted" on OpenShift: some user, no rights, nothing that can be written but /tmp. */
function runtimeConfig(
  { config, root }: Image,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  network: Network,
): object {
  const none = { bounding: [], effective: [], permitted: [], inheritable: [], ambient: [] };
  const given = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return {
    ociVersion: '1.0.2',
    hostname: 'weir',
    root: { path: root, readonly: true },
    process: {
      args: [...config.Entrypoint, ...args],
      env: [...config.Env, ...given],
      cwd: config.WorkingDir,
      user: { uid: 1_000_720_000, gid: 0 },
      capabilities: none,
      noNewPrivileges: true,
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      { destination: '/dev', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'mode=755'] },
      { destination: '/tmp', type: 'tmpfs', source: 'tmpfs', options: ['nosuid', 'nodev', 'mode=1777'] },
    ],
    linux: {
      namespaces: ['pid', 'mount', 'ipc', 'uts', ...(network === 'none' ? ['network'] : [])].map((type) => ({ type })),
    },
  };
}

/** Starts a container of an image by runc. */
export function startContainer(
  image: Image,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  network: Network = 'none',
): Container {
  const id = `weir-test-${randomBytes(6).toString('hex')}`;
  const bundle = mkdtempSync(join(tmpdir(), 'weir-bundle-'));
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(runtimeConfig(image, args, env, network)));
  const child = spawn('runc', ['run', '--bundle', bundle, id], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8');
    });
  }
  const ended = once(child, 'close').then(([code]) => {
    rmSync(bundle, { recursive: true });
    return code as number | null;
  });
  return {
    node: (script) => execFileSync('runc', ['exec', id, 'node', '-e', script], { encoding: 'utf8' }).trim(),
    async stop() {
      execFileSync('runc', ['kill', id, 'TERM']);
      return ended;
    },
    ended,
    output: () => printed,
  };
}
