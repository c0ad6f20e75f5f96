import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Demo } from './demo/demo.js';
import { findProcess } from './processes/process-record.js';
import type { ServerUrls } from './servers/start-servers.js';
import type { Addresses } from './stack/process-specs.js';
import { writeWhole } from './write-whole.js';

/** Name under which the process that keeps a stack running is recorded. */
export const supervisor = 'supervisor';

/** What a command may know about the stack that runs. */
export interface RunningStack {
  readonly gatewayUrl: string;
  /** Where the gateway tells its metrics, when it does. */
  readonly metricsUrl?: string;
  readonly addresses: Addresses;
  readonly servers: ServerUrls;
  readonly demo: Demo;
}

function fileOf(runDirectory: string): string {
  return join(runDirectory, 'stack.json');
}

/** Says that a stack is ready. */
export function writeRunningStack(runDirectory: string, stack: RunningStack): void {
  writeWhole(fileOf(runDirectory), JSON.stringify(stack));
}

/** Says that no stack is ready. */
export async function removeRunningStack(runDirectory: string): Promise<void> {
  await rm(fileOf(runDirectory), { force: true });
}

/** The stack that is ready; undefined when none is, `starting` or not. */
export async function readRunningStack(runDirectory: string): Promise<RunningStack | undefined> {
  if ((await findProcess(runDirectory, supervisor)) === undefined) return undefined;
  const text = await readFile(fileOf(runDirectory), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as RunningStack);
}
