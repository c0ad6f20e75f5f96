import { availableParallelism } from 'node:os';
import { type Step, steps } from '../check/steps.js';
import type { Verdict } from '../check/verdict.js';
import { type Environment, UsageError } from '../environment.js';

const marks = { passed: '✓', failed: '✗', skipped: '–' };

function parseSteps(names: readonly string[]): readonly Step[] {
  const unknown = names.find((name) => !steps.some((step) => step.name === name));
  if (unknown !== undefined)
    throw new UsageError(`no step ${unknown}, but ${steps.map(({ name }) => name).join(', ')}`);
  return names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name));
}

async function runStep(step: Step): Promise<Verdict> {
  const start = performance.now();
  const verdict = await step.run();
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const note = verdict.note === undefined ? '' : `  ${verdict.note}`;
  process.stdout.write(`${marks[verdict.status]} ${step.name.padEnd(10)} ${seconds.padStart(5)} s${note}\n`);
  if (verdict.status === 'failed') process.stdout.write(`${verdict.output?.trimEnd().replaceAll(/^/gm, '    ')}\n`);
  return verdict;
}

/** Runs steps, a few at a time. */
async function runSteps(asked: readonly Step[]): Promise<Map<string, Verdict>> {
  const verdicts = new Map<string, Verdict>();
  const waiting = [...asked];
  const worker = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      verdicts.set(step.name, await runStep(step));
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, worker));
  return verdicts;
}

/** `./dev check`: every step, one line each; names those that failed. */
export async function check(_environment: Environment, args: readonly string[]): Promise<number> {
  const asked = parseSteps(args);
  // the slowest first, and what reads the build after it
  const early = asked.filter(({ needsBuild }) => needsBuild !== true);
  const types = early.filter(({ name }) => name === 'types');
  const verdicts = await runSteps([...types, ...early.filter(({ name }) => name !== 'types')]);
  for (const [name, verdict] of await runSteps(asked.filter(({ needsBuild }) => needsBuild)))
    verdicts.set(name, verdict);

  const failed = [...verdicts].flatMap(([name, { status }]) => (status === 'failed' ? [name] : []));
  const skipped = [...verdicts.values()].filter(({ status }) => status === 'skipped').length;
  process.stdout.write(
    `check: ${verdicts.size - failed.length - skipped} passed, ${failed.length} failed${failed.length > 0 ? ` (${failed.join(', ')})` : ''}` +
      `${skipped > 0 ? `, ${skipped} skipped` : ''}\n`,
  );
  return failed.length === 0 ? 0 : 1;
}
