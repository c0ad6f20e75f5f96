import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { FaultOptions } from './fault-stack.js';

const pollMs = 5;
/** A process under load comes to each of its points within it. */
const reachMsMax = 20_000;

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
  /**
   * Has the next process that comes to a point of its code end there by SIGKILL.
   *
   * @returns its pid; undefined where none came in time
   */
  killAt(point: string): Promise<number | undefined>;
}

/** Prepares planting; plants.mjs says what there is. */
export function openPlanting(): Planting {
  const directory = mkdtempSync(join(tmpdir(), 'weir-planted-'));
  const url = new URL(`./plant.mjs?directory=${encodeURIComponent(directory)}`, import.meta.url);
  const env = { NODE_OPTIONS: `--import=${url.href}` };
  return {
    env,
    envOf: { ingestion: env, processor: env, observations: env },
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
    async killAt(point) {
      const reached = join(directory, `${point}.reached`);
      const endMs = performance.now() + reachMsMax;
      writeFileSync(join(directory, point), '');
      while (!existsSync(reached)) {
        if (performance.now() > endMs) return undefined;
        await delay(pollMs);
      }
      return Number(readFileSync(reached, 'utf8'));
    },
    [Symbol.dispose]: () => rmSync(directory, { recursive: true }),
  };
}
