import fc from 'fast-check';

/** What a random case chooses; a seed fixes all of it. */
export interface Choices {
  /** from `least` to `most`, both included */
  between(least: number, most: number): number;
  oneOf<T>(items: readonly T[]): T;
  /** One of several things to do, each as often as its weight says. */
  weighted<T>(items: readonly (readonly [weight: number, item: T])[]): T;
  isTrue(percent: number): boolean;
  /** An observation, or a step of a constant: small and whole, or anything, now and then huge. */
  value(): number;
  /** Each once, in any order. */
  shuffled<T>(items: readonly T[]): T[];
}

const values = fc.oneof(
  { arbitrary: fc.integer({ min: -3, max: 12 }), weight: 6 },
  { arbitrary: fc.double({ min: -100, max: 100, noNaN: true }), weight: 5 },
  { arbitrary: fc.constantFrom(0, 0.1, 0.5, 1.5, 1e300, -1e300, 5e-324), weight: 1 },
);

/** The choices of a seed. */
export function choicesOf(seed: number): Choices {
  const [generate] = fc.sample(fc.gen(), { seed, numRuns: 1 });
  if (generate === undefined) throw new Error('nothing was generated');
  const between: Choices['between'] = (min, max) => generate(fc.integer, { min, max });
  const oneOf: Choices['oneOf'] = (items) => {
    if (items.length === 0) throw new Error('nothing to choose from');
    return items[between(0, items.length - 1)] as (typeof items)[number];
  };
  return {
    between,
    oneOf,
    weighted: (items) => oneOf(items.flatMap(([weight, item]) => Array.from({ length: weight }, () => item))),
    isTrue: (percent) => between(0, 99) < percent,
    // -0 is admitted as 0
    value: () => generate(() => values) + 0,
    shuffled: (items) => generate(() => fc.shuffledSubarray([...items], { minLength: items.length })),
  };
}
