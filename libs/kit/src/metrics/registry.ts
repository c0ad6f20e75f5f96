import { setTimeout as delay } from 'node:timers/promises';
import { Instrument } from './instrument.js';
import type { InstrumentOf, Metrics } from './metric.js';

/** Looking up a gauge may take so long; what takes longer is absent from this collection. */
const observeMs = 2000;

const instruments = new Map<string, Instrument>();

interface Observer {
  readonly gauges: readonly Instrument[];
  readonly look: () => void | Promise<void>;
  pending: Promise<void> | undefined;
}
const observers = new Set<Observer>();

/** The instruments of declared metrics. Asked for twice, they are the same. */
export function createInstruments<const M extends Metrics>(
  metrics: M,
): { readonly [K in keyof M]: InstrumentOf<M[K]> } {
  const made = Object.entries(metrics).map(([key, metric]) => {
    const instrument = instruments.get(metric.name) ?? new Instrument(metric);
    instruments.set(metric.name, instrument);
    return [key, instrument];
  });
  return Object.fromEntries(made) as { readonly [K in keyof M]: InstrumentOf<M[K]> };
}

/**
 * Looks gauges up whenever somebody collects: costs nothing otherwise. What `look` does not set, because it fails or does
 * not come to an end, is absent rather than old.
 *
 * @returns what ends it
 */
export function observeGauges(gauges: readonly { set(...given: never[]): void }[], look: Observer['look']): Disposable {
  const observer: Observer = { gauges: gauges as unknown as Instrument[], look, pending: undefined };
  observers.add(observer);
  return { [Symbol.dispose]: () => void observers.delete(observer) };
}

async function observe(observer: Observer): Promise<void> {
  observer.pending ??= Promise.resolve()
    .then(observer.look)
    // the process that it asks of logs why it does not answer
    .catch(() => undefined)
    .finally(() => {
      observer.pending = undefined;
    });
  await Promise.race([observer.pending, delay(observeMs, undefined, { ref: false })]);
}

async function observeAll(): Promise<readonly Instrument[]> {
  const all = [...observers];
  for (const { gauges } of all) for (const gauge of gauges) gauge.series.clear();
  await Promise.all(all.map(observe));
  return [...instruments.values()].filter(({ series }) => series.size > 0);
}

let collecting: Promise<readonly Instrument[]> | undefined;

/** All that was counted up to now, gauges looked up. Whoever asks meanwhile gets the same. */
export function collectInstruments(): Promise<readonly Instrument[]> {
  collecting ??= observeAll().finally(() => {
    collecting = undefined;
  });
  return collecting;
}
