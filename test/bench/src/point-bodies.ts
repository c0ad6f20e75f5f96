import type { PointsOrder } from './load.js';

const startMs = Date.UTC(2026, 0, 1);

interface Point {
  readonly atMs: number;
  readonly instrument: string;
  readonly values: readonly number[];
}

const toJson = (points: readonly Point[], siteId: string): string =>
  JSON.stringify({
    data: points.map(({ atMs, instrument, values }) => ({
      instrument_timestamp: new Date(atMs).toISOString(),
      instrument_name: instrument,
      site_id: siteId,
      ingested_variables: values.map((value, variable) => ({ name: `variable ${variable}`, value })),
    })),
  });

const toLines = (points: readonly Point[], siteId: string): string =>
  points
    .map(({ atMs, instrument, values }) => {
      const fields = values.map((value, variable) => `variable_${variable}=${value}`);
      return `observations,site=${siteId},instrument=${instrument.replaceAll(' ', '\\ ')} ${fields.join(',')} ${atMs}`;
    })
    .join('\n');

/** Bodies of requests that write points, as text. */
export function pointBodies(order: PointsOrder): string[] {
  const { perRequest, variables, instruments, siteId, instrumentPrefix, first, bodies, form = 'json' } = order;
  const toText = form === 'json' ? toJson : toLines;
  return Array.from({ length: bodies }, (_, body) =>
    toText(
      Array.from({ length: perRequest }, (_, index): Point => {
        const number = first + body * perRequest + index;
        return {
          atMs: startMs + Math.floor(number / instruments) * 1000,
          instrument: `${instrumentPrefix} ${number % instruments}`,
          values: Array.from(
            { length: variables },
            (_, variable) => ((number * 7919 + variable * 104_729) % 1_000_003) / 1000,
          ),
        };
      }),
      siteId,
    ),
  );
}
