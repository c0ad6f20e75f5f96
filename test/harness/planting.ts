import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultOptions } from './fault-stack.js';

const pollMs = 5;

/** Faults that can be planted into the processes of a stack while it runs. */
export interface Planting extends Disposable {
  /** Settings by which a process loads them. */
  readonly env: Readonly<Record<string, string>>;
  /** Settings of the stack, by which those processes load them that most faults are of. */
  readonly envOf: NonNullable<FaultOptions['envOf']>;
  /** Plants a fault; disposing takes it out. */
  plant(name: string): Disposable;
  /** Resolves when a fault says that now is the moment to end the process. */
  moment(): Promise<void>;
}

/** Prepares planting; plant.mjs says what there is. */
export function openPlanting(): Planting {
  const directory = mkdtempSync(join(tmpdir(), 'weir-planted-'));
  const url = new URL(`./plant.mjs?directory=${encodeURIComponent(directory)}`, import.meta.url);
  const env = { NODE_OPTIONS: `--import=${url.href}` };
  return {
    env,
    envOf: { ingestion: env, processor: env },
    plant(name) {
      const file = join(directory, name);
      writeFileSync(file, '');
      return { [Symbol.dispose]: () => rmSync(file) };
    },
    async moment() {
      const file = join(directory, 'moment');
      rmSync(file, { force: true });
      while (!existsSync(file)) await delay(pollMs);
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}
