import { parseArgs } from 'node:util';
import { type Environment, UsageError } from '../environment.js';
import { runVitest } from './run-vitest.js';

const defaultMinutes = '10';

/** `./dev soak`: a steady load with a kill every 20 seconds, on servers of its own, checked each minute. */
export async function soak(environment: Environment, args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: 'string', default: defaultMinutes }, seed: { type: 'string', default: '1' } },
  });
  for (const [name, value] of Object.entries(values)) {
    if (!/^[1-9][0-9]{0,5}$/.test(value))
      throw new UsageError(`--${name} is ${value}, but must be a whole number from 1`);
  }
  const env = { SOAK_MINUTES: values.minutes, SOAK_SEED: values.seed };
  return await runVitest(environment, ['--project', 'soak', '--disable-console-intercept'], env);
}
