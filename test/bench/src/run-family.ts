import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Family, Ratio, Round, Sample } from './ratio.js';

/** A number over all rounds. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** What came of a ratio. */
export interface Outcome extends Pick<Ratio, 'id' | 'what' | 'goal' | 'stretch' | 'isLowerBetter'> {
  /** Undefined where what it needs was not there. */
  readonly ratio: Spread | undefined;
  readonly verdict: 'stretch' | 'goal' | 'missed' | 'printed' | 'skipped';
}

/** What a family measured: its ratios, and the absolute numbers beside them by trial and name. */
export interface Measured {
  readonly outcomes: readonly Outcome[];
  readonly absolute: Readonly<Record<string, Spread>>;
}

/** Median, least and greatest of some numbers; undefined of none. */
function spreadOf(numbers: readonly number[]): Spread | undefined {
  const sorted = numbers.toSorted((a, b) => a - b);
  const [min] = sorted;
  const max = sorted.at(-1);
  const middle = sorted.length >> 1;
  if (min === undefined || max === undefined) return undefined;
  const upper = sorted[middle] as number;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
  return { median, min, max };
}

function judge({ goal, stretch, isLowerBetter }: Ratio, ratio: Spread | undefined): Outcome['verdict'] {
  if (ratio === undefined) return 'skipped';
  if (goal === undefined) return 'printed';
  const reaches = (bound: number): boolean => (isLowerBetter ? ratio.median <= bound : ratio.median >= bound);
  if (stretch !== undefined && reaches(stretch)) return 'stretch';
  return reaches(goal) ? 'goal' : 'missed';
}

/**
 * Runs a family: in every round each trial once, in turns forwards and backwards, so that what drifts on the machine
 * meets numerators and denominators alike. A gate is judged by the median of the ratios of rounds. One round before them is not
 * counted: until Node has compiled what runs often, a trial measures its compiler.
 */
export async function runFamily(family: Family, rounds: number, onProgress: (text: string) => void): Promise<Measured> {
  onProgress('preparing');
  await using opened = await family.open();
  const names = Object.keys(opened.trials);
  const run = async (name: string): Promise<Sample> => {
    // else the kernel writes back what trials before have left while this one is measured, and every commit waits for that
    await promisify(execFile)('sync');
    return (await opened.trials[name]?.()) ?? {};
  };
  for (const name of family.isLong === true ? [] : names) {
    onProgress(`warming up: ${name}`);
    await run(name);
  }
  const results: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    const samples: Record<string, Sample> = {};
    for (const name of round % 2 === 1 ? names : names.toReversed()) {
      onProgress(`round ${round} of ${rounds}: ${name}`);
      samples[name] = await run(name);
    }
    results.push(samples);
  }
  const outcomes = family.ratios.map((ratio): Outcome => {
    const { id, what, goal, stretch, isLowerBetter } = ratio;
    const spread = spreadOf(results.map(ratio.of).filter((value) => value !== undefined));
    return {
      id,
      what,
      ...(goal !== undefined && { goal }),
      ...(stretch !== undefined && { stretch }),
      ...(isLowerBetter && { isLowerBetter }),
      ratio: spread,
      verdict: judge(ratio, spread),
    };
  });
  const absolute: Record<string, Spread> = {};
  for (const name of names) {
    for (const key of Object.keys(results[0]?.[name] ?? {})) {
      const spread = spreadOf(results.map((round) => round[name]?.[key]).filter((value) => value !== undefined));
      if (spread !== undefined) absolute[`${name}.${key}`] = spread;
    }
  }
  return { outcomes, absolute };
}
