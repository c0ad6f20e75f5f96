import { isDeepStrictEqual } from 'node:util';
import { type Faults, pointerStep } from '../faults/index.js';

/** What a patch may say of members; those that it does not have are undefined. */
export type Given<F> = { readonly [K in keyof F]?: F[K] | undefined };

/** Parses what a patch has; what it does not have stays absent. */
export function ifGiven<I, O>(value: I | undefined, parse: (value: I) => O): O | undefined {
  return value === undefined ? undefined : parse(value);
}

/**
 * What a patch changes: the members that it has, and with undefined those that it clears.
 *
 * @param given - members by name; undefined ones are not in the patch
 * @param cleared - names of members that are cleared
 */
export function toChange<F extends object>(given: Given<F>, cleared: Iterable<keyof F>): Partial<F> {
  const members = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries([...members, ...Array.from(cleared, (name) => [name, undefined])]) as Partial<F>;
}

/**
 * A record as a change leaves it: members are replaced whole, others stay.
 *
 * @returns undefined when it stays as it is
 */
export function applyChange<R extends object>(record: R, change: Partial<NoInfer<R>>): R | undefined {
  const isSame = Object.entries(change).every(([name, value]) => isDeepStrictEqual(record[name as keyof R], value));
  return isSame ? undefined : { ...record, ...change };
}

/** Whether a change left a member of a record another than it was. */
export function isChanged<R extends object>(before: R, after: NoInfer<R>, member: keyof NoInfer<R>): boolean {
  return !isDeepStrictEqual(before[member], after[member]);
}

/**
 * The members that a patch clears, as the record calls them.
 *
 * @param cleared - their names as clients know them
 * @param nullable - by such names, what the record calls the members that may be null
 */
export function parseCleared<K extends string>(
  cleared: readonly string[],
  nullable: Readonly<Record<string, K>>,
  faults: Faults,
): K[] {
  return cleared.flatMap((name) => {
    const member = Object.hasOwn(nullable, name) ? nullable[name] : undefined;
    if (member !== undefined) return [member];
    faults.add(pointerStep(name), 'not_nullable', 'This member has no null; leave it out to keep it as it is.');
    return [];
  });
}
