import type { Point } from './api.js';

const start = Date.UTC(2026, 0, 1);

/** The instant of second `second` after the start of all generated readings, in the public form. */
export function instantAt(second: number): string {
  return new Date(start + second * 1000).toISOString();
}

/** One reading of one variable. */
export function reading(instrument: string, second: number, value: number, variable = 'level'): Point {
  return {
    instrument_timestamp: instantAt(second),
    instrument_name: instrument,
    ingested_variables: [{ name: variable, value }],
  };
}

/** An array in a random order that a seed fixes. */
export function shuffled<T>(items: readonly T[], seed: number): T[] {
  const result = [...items];
  let state = seed;
  for (let i = result.length - 1; i > 0; i--) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    const j = state % (i + 1);
    [result[i], result[j]] = [result[j] as T, result[i] as T];
  }
  return result;
}
