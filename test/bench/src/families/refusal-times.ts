import { randomInt } from 'node:crypto';
import { newId } from '@weir/kit/ids';
import { createKey, parseKey } from '@weir/kit/keys';
import { Pool } from 'undici';
import { openBench } from '../bench.js';
import type { Family } from '../ratio.js';

const samples = 100_000;
const connections = 48;

/** Count, mean and variance of numbers that come one by one (Welford). */
class Moments {
  count = 0;
  mean = 0;
  #squares = 0;

  add(value: number): void {
    this.count++;
    const delta = value - this.mean;
    this.mean += delta / this.count;
    this.#squares += delta * (value - this.mean);
  }

  get varianceOfMean(): number {
    return this.#squares / (this.count - 1) / this.count;
  }
}

/** Whether the time of a refusal tells that there is a key of an id: Welch's t of both times. */
export const refusalTimes: Family = {
  name: 'refusal times',
  isLong: true,
  ratios: [
    {
      id: 'S2',
      what: "Welch's t of the times of refusals: no key of this id, against a wrong secret",
      goal: 4.5,
      isLowerBetter: true,
      of: (r) => r['refusals']?.['welchT'],
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const pool = new Pool(bench.origin, { connections, pipelining: 1 });
    opening.defer(() => pool.close());
    const known = parseKey(bench.developerHeaders['authorization']?.slice('Bearer '.length) ?? '')?.id ?? '';
    const refuse = async (key: string): Promise<number> => {
      const beganMs = performance.now();
      const headers = { authorization: `Bearer ${key}` };
      const { statusCode, body } = await pool.request({ path: '/dev-api/v1/permissions', method: 'GET', headers });
      await body.dump();
      if (statusCode !== 401) throw new Error(`a key that is none was answered ${statusCode}`);
      return performance.now() - beganMs;
    };
    const measure = async (count: number) => {
      const unknown = new Moments();
      const wrong = new Moments();
      let sent = 0;
      const caller = async (): Promise<void> => {
        while (sent++ < count) {
          // made in both cases alike, and in an order that nothing on the way can follow
          const isKnown = randomInt(2) === 1;
          const key = createKey('developer', isKnown ? known : newId()).plaintext;
          (isKnown ? wrong : unknown).add(await refuse(key));
        }
      };
      await Promise.all(Array.from({ length: connections }, caller));
      const difference = unknown.mean - wrong.mean;
      return {
        welchT: Math.abs(difference) / Math.sqrt(unknown.varianceOfMean + wrong.varianceOfMean),
        unknownMs: unknown.mean,
        wrongSecretMs: wrong.mean,
      };
    };
    await measure(5000);
    const open = opening.move();
    return { trials: { refusals: () => measure(samples) }, [Symbol.asyncDispose]: () => open.disposeAsync() };
  },
};
