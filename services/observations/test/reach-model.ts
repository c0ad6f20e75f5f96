import fc from 'fast-check';
import type { Definition, Input } from '../src/domain/definition.js';
import type { Ranges } from '../src/domain/ranges.js';
import type { Changes } from '../src/domain/reach.js';

/** The observations of one series: values by instant. */
export type Observed = ReadonlyMap<number, number>;
/** The observations of all series, by key. */
export type State = ReadonlyMap<number, Observed>;

/** Instants lie between 0 and this, so that much meets. */
export const spanUs = 40;
/** Series that definitions read. */
export const seriesKeys = [1, 2, 3] as const;

const reads = {
  value: (alias: string) => alias,
  previous: (alias: string) => `coalesce(previous(${alias}), 0)`,
  windows: (alias: string) => `count(${alias})`,
};
type Read = keyof typeof reads;

interface ModelInput extends Input {
  readonly reads: readonly Read[];
}

function allowed(kind: Input['kind'], bufferUs: number | undefined): Read[] {
  if (bufferUs === undefined) return ['value', 'previous'];
  return kind === 'self_variable' ? ['windows', 'previous'] : ['value', 'windows', 'previous'];
}

const arbitraryInput = (mayBeWindowed: boolean) =>
  fc
    .record({
      kind: mayBeWindowed
        ? fc.constantFrom('self_variable' as const, 'instrument_variable' as const)
        : fc.constant('self_variable' as const),
      variableKey: fc.constantFrom(...seriesKeys),
      bufferUs: mayBeWindowed ? fc.option(fc.integer({ min: 1, max: 15 }), { nil: undefined }) : fc.constant(undefined),
    })
    .chain((given) =>
      fc
        .subarray(allowed(given.kind, given.bufferUs), { minLength: 1 })
        .map((chosen) => ({ ...given, isCalculated: false, steps: [], reads: chosen })),
    );

const arbitraryPiece = fc
  .tuple(arbitraryInput(false), fc.array(arbitraryInput(true), { maxLength: 3 }))
  .map(([driver, others]) => {
    const inputs = [driver, ...others].map(
      (input, i): ModelInput => ({ ...input, alias: `x${i}`, id: `x${i}`.padEnd(21, '_') }),
    );
    return {
      inputs,
      expression: inputs.flatMap(({ alias, reads: of }) => of.map((read) => reads[read](alias))).join(' + '),
    };
  });

/** A definition of up to three pieces, each with a driver. */
export const arbitraryDefinition: fc.Arbitrary<Definition> = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 0, max: spanUs }), { minLength: 1, maxLength: 3 }),
    fc.array(arbitraryPiece, { minLength: 3, maxLength: 3 }),
  )
  .map(([starts, pieces]) => ({
    valueType: 'decimal',
    pieces: starts.sort((a, b) => a - b).map((startUs, i) => ({ startUs, ...(pieces[i] as (typeof pieces)[number]) })),
  }));

/** The observations of a state from which a definition reads at an instant, and of which it reads what. */
function readsAt(state: State, { inputs }: Definition['pieces'][number], atUs: number): string[] {
  return (inputs as ModelInput[]).flatMap(({ kind, variableKey, bufferUs, reads: of }) => {
    const all = [...(state.get(variableKey) ?? [])].sort(([a], [b]) => a - b);
    const isNear = ([us]: [number, number]): boolean => bufferUs === undefined || us > atUs - bufferUs;
    const exact = all.filter(([us]) => us === atUs);
    const isDriving = kind === 'self_variable' && bufferUs === undefined;
    const found = of.map((read) => {
      if (read === 'previous')
        return all
          .filter(([us]) => us < atUs)
          .filter(isNear)
          .slice(-1);
      const window = all.filter(([us]) => us <= atUs).filter(isNear);
      if (read === 'windows') return window;
      return bufferUs === undefined ? exact : window.slice(-1);
    });
    return [...found, isDriving ? exact : []].map((part) => JSON.stringify(part));
  });
}

/** Whether a definition has an instant of results, or had. */
export function isDriven(states: readonly State[], { pieces }: Definition, atUs: number): boolean {
  const piece = pieces.findLast(({ startUs }) => startUs <= atUs);
  return (piece?.inputs ?? []).some(
    ({ kind, bufferUs, variableKey }) =>
      kind === 'self_variable' && bufferUs === undefined && states.some((state) => state.get(variableKey)?.has(atUs)),
  );
}

/** The instants at which what a definition reads differs between two states. */
export function differing(before: State, after: State, { pieces }: Definition): number[] {
  const instants = Array.from({ length: 2 * spanUs }, (_, us) => us);
  return instants.filter((atUs) => {
    const piece = pieces.findLast(({ startUs }) => startUs <= atUs);
    return piece !== undefined && `${readsAt(before, piece, atUs)}` !== `${readsAt(after, piece, atUs)}`;
  });
}

/** Some observations of each series. */
export const arbitraryState: fc.Arbitrary<State> = fc
  .tuple(
    ...seriesKeys.map((key) =>
      fc
        .dictionary(fc.integer({ min: 0, max: spanUs - 1 }).map(String), fc.integer({ min: 0, max: 3 }), {
          maxKeys: 15,
        })
        .map((values) => [key, new Map(Object.entries(values).map(([us, value]) => [Number(us), value]))] as const),
    ),
  )
  .map((series) => new Map(series));

/** The changes between two states, and what is next after each; joined where `isTold`. */
export function changesBetween(
  before: State,
  after: State,
  isTold: boolean,
): { changes: Changes; nextsUs: Float64Array } {
  const found = seriesKeys.flatMap((key) => {
    const [old, now] = [before.get(key) ?? new Map(), after.get(key) ?? new Map()];
    const all = [...new Set([...old.keys(), ...now.keys()])].sort((a, b) => a - b);
    const changed = all.filter((us) => old.get(us) !== now.get(us));
    return changed.map((us, i) => ({
      key,
      us,
      nextUs: Math.min(...[...now.keys()].filter((later) => later > us)),
      isJoined: i > 0 && all.indexOf(us) - all.indexOf(changed[i - 1] as number) === 1,
    }));
  });
  return {
    changes: {
      count: found.length,
      variableKeys: Float64Array.from(found, ({ key }) => key),
      instantsUs: Float64Array.from(found, ({ us }) => us),
      isJoined: (change) => isTold && (found[change]?.isJoined ?? false),
    },
    nextsUs: Float64Array.from(found, ({ nextUs }) => nextUs),
  };
}

/** Whether ranges have an instant. */
export function holds({ startsUs, endsUs }: Ranges, atUs: number): boolean {
  return startsUs.some((startUs, i) => startUs <= atUs && atUs < (endsUs[i] as number));
}
