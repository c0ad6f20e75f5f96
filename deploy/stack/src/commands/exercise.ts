import { parseArgs } from 'node:util';
import { type Environment, UsageError } from '../environment.js';
import { exerciseFaults } from '../exercise/faults.js';
import { readRunningStack } from '../running-stack.js';

const secondsMax = 86_400;

interface Exercise {
  readonly name: string;
  readonly seconds: number;
}

function parseExercise(args: readonly string[]): Exercise {
  const options = { fault: { type: 'string' }, seconds: { type: 'string', default: '600' } } as const;
  const { values } = parseArgs({ args: [...args], options, allowPositionals: false });
  const names = Object.keys(exerciseFaults);
  const name = values.fault ?? names[Math.floor(Math.random() * names.length)] ?? '';
  if (!names.includes(name)) throw new UsageError(`there is no fault ${name}, but ${names.join(', ')}`);
  const seconds = Number(values.seconds);
  if (!/^[0-9]+$/.test(values.seconds) || seconds < 1 || seconds > secondsMax)
    throw new UsageError(`--seconds is ${values.seconds}, but must be 1 to ${secondsMax}`);
  return { name, seconds };
}

/** Resolves when the time is up, the process is asked to stop, or somebody at a terminal presses Enter. */
async function ended(seconds: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, end);
    if (process.stdin.isTTY) process.stdin.once('data', end);
  });
  // what is no terminal may be a file, which is not waited for
  if (process.stdin.isTTY) process.stdin.unref();
}

/**
 * `./dev exercise`: puts one of several faults into the running stack, without telling which, and tells at the end what
 * it was and how it could be seen. All is undone then.
 */
export async function exercise(environment: Environment, args: readonly string[]): Promise<number> {
  const { name, seconds } = parseExercise(args);
  const { runDirectory } = environment;
  const stack = await readRunningStack(runDirectory);
  if (stack === undefined) throw new Error('nothing is running: ./dev up --observe');
  const fault = exerciseFaults[name];
  if (fault === undefined) throw new UsageError(`there is no fault ${name}`);
  const stop = new AbortController();
  const running = fault.run({ stack, runDirectory }, stop.signal);
  process.stdout.write(`
A fault is in. Find it by metrics, traces and logs alone; it is one of these:
${Object.keys(exerciseFaults)
  .map((each) => `  ${each}\n`)
  .join('')}
It is told, and taken out, ${process.stdin.isTTY ? 'when you press Enter, or ' : ''}after ${seconds} s.
`);
  try {
    await Promise.race([ended(seconds), running]);
  } finally {
    stop.abort();
    await running;
  }
  process.stdout.write(`\n${name}: ${fault.was}\n\nIt shows: ${fault.shows}\n`);
  return 0;
}
