import type { PointsOrder } from './load.js';

const startMs = Date.UTC(2026, 0, 1);

/** Bodies of ingest requests, as text. */
export function pointBodies(order: PointsOrder): string[] {
  const { perRequest, variables, instruments, instrumentPrefix, first, bodies } = order;
  return Array.from({ length: bodies }, (_, body) => {
    const data = Array.from({ length: perRequest }, (_, index) => {
      const number = first + body * perRequest + index;
      const second = Math.floor(number / instruments);
      return {
        instrument_timestamp: new Date(startMs + second * 1000).toISOString(),
        instrument_name: `${instrumentPrefix} ${number % instruments}`,
        ingested_variables: Array.from({ length: variables }, (_, variable) => ({
          name: `variable ${variable}`,
          value: ((number * 7919 + variable * 104_729) % 1_000_003) / 1000,
        })),
      };
    });
    return JSON.stringify({ data });
  });
}
