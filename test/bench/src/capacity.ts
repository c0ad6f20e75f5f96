import type { Measured } from './run-family.js';

/** A process does not go beyond so much of a core, so that peaks and the loss of a neighbour find room. */
const useOfCore = 0.6;
const rates = [1000, 100_000, 10_000_000];
const secondsPerDay = 86_400;
/** An observation in its table with its entry in the covering key (docs/decisions/0022). */
const storedBytes = 102;

/** Trials whose costs say what points cost, by how the points come. */
const sources = [
  { what: 'in batches of 1,000', family: 'batches of 1,000 points', trial: 'one variable' },
  { what: 'one a request', family: 'lone points', trial: '64 at once' },
] as const;
const parts = ['gateway', 'ingestion', 'processor', 'database'] as const;

const amount = (value: number): string => (value >= 10 ? Math.ceil(value).toLocaleString('en') : value.toPrecision(2));
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/**
 * What measured costs come to at some rates: cores of each part at 60 %, bytes logged and stored. Nothing of what was not
 * measured.
 */
export function capacityLines(families: Readonly<Record<string, Measured>>): string[] {
  return sources.flatMap(({ what, family, trial }) => {
    const absolute = families[family]?.absolute ?? {};
    const costOf = (name: string): number | undefined => absolute[`${trial}.${name}`]?.median;
    const cores = parts.flatMap((part) => {
      const us = costOf(`${part}UsPerPoint`);
      return us === undefined
        ? []
        : [[part, `${amount(us)} µs`, ...rates.map((rate) => `${amount((rate * us) / 1e6 / useOfCore)} cores`)]];
    });
    if (cores.length === 0) return [];
    const wal = costOf('walBytesPerPoint') ?? Number.NaN;
    const perSecond = rates.map((rate) => `${amount((rate * wal) / 1e6)} MB/s`);
    const perDay = rates.map((rate) => `${amount((rate * storedBytes * secondsPerDay) / 1e9)} GB a day`);
    return [
      '',
      `**Points of one variable, ${what}**`,
      '',
      row(['part', 'a point', ...rates.map((rate) => `${rate.toLocaleString('en')} a second`)]),
      row(Array.from({ length: rates.length + 2 }, () => '---')),
      ...cores.map(row),
      row(['logged by the database', `${amount(wal)} B`, ...perSecond]),
      row(['observations stored', `${storedBytes} B`, ...perDay]),
    ];
  });
}
