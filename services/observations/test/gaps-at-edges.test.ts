import { connect } from '@weir/kit/rpc';
import { openPool, sql, sqlInstant } from '@weir/kit/sql';
import { parseInstant } from '@weir/kit/time';
import { type AggregateObservationsRequest, ObservationsServiceDefinition } from '@weir/proto/observations';
import { expect, test } from 'vitest';
import { projectId } from './test-points.js';
import { startTestQuery } from './test-query.js';
import { testDatabase } from './test-servers.js';

const us = (text: string): number => parseInstant(text) ?? Number.NaN;

test('buckets of automatic length show gaps at the ends of a range, as far as what lies outside tells', async () => {
  await using database = await testDatabase();
  await using admin = openPool({ url: database.url, max: 1 });
  await using query = await startTestQuery(database.url);
  using client = connect(ObservationsServiceDefinition, query.address);
  const hours = [0, 1, 2, 3, 4, 10, 11, 12, 13, 14];
  const now = Date.now() * 1000;
  const rows = [
    ...hours.map((hour) => ({ key: 1, at: us('2026-01-01T00:00:00Z') + hour * 3_600_000_000, value: hour })),
    { key: 2, at: now - 60_000_000, value: 1 },
  ];
  await admin.query(sql`insert into observations.series (variable_key, project_id, instrument_id, generation)
    select key, ${projectId}, ${projectId}, 1 from generate_series(1, 2) as key`);
  await admin.query(sql`insert into observations.observations (variable_key, at, value, admitted)
    select key, at, value, 1 from unnest(${rows.map(({ key }) => key)}::bigint[],
      ${rows.map(({ at }) => sqlInstant(at))}::timestamptz[], ${rows.map(({ value }) => value)}::double precision[])
      as given (key, at, value)`);

  const read = async (startUs: number, endUs: number, deviations: Partial<AggregateObservationsRequest> = {}) => {
    const page = await client.aggregateObservations({
      projectId,
      series: [{ variableKey: 1, expectedCadenceS: 3600 }],
      timezone: 'UTC',
      fill: 'none',
      functions: ['max'],
      startUs,
      endUs,
      pointsMax: 4,
      ...deviations,
    });
    const column = (name: string): unknown =>
      JSON.parse(page.series[0]?.columns.find((each) => each.name === name)?.json ?? '');
    return [column('max'), column('gap')];
  };
  const onDay = (from: string, until: string, deviations?: Partial<AggregateObservationsRequest>) =>
    read(us(`2026-01-01T${from}:00Z`), us(`2026-01-01T${until}:00Z`), deviations);
  const yes = true;
  const no = false;

  // after the last one
  const dead = us('2026-01-02T00:00:00Z');
  expect(await read(us('2026-01-01T12:00:00Z'), dead, { fill: 'previous' })).toEqual([
    [14, 14, 14, 14],
    [no, yes, yes, yes],
  ]);
  expect(await read(us('2026-01-01T12:00:00Z'), dead)).toEqual([
    [14, null],
    [no, yes],
  ]);
  expect(await onDay('12:00', '16:00', { fill: 'null' })).toEqual([
    [12, 13, 14, null],
    [no, no, no, no],
  ]);
  // before the first one, of which the range has none before
  expect(await onDay('07:00', '11:00', { fill: 'null' })).toEqual([
    [null, null, null, 10],
    [yes, yes, yes, yes],
  ]);
  expect(await onDay('07:00', '11:00')).toEqual([
    [null, 10],
    [yes, yes],
  ]);
  expect(await onDay('10:00', '13:00')).toEqual([
    [10, 11, 12],
    [yes, no, no],
  ]);
  // within
  expect(await onDay('05:00', '09:00', { fill: 'null' })).toEqual([
    [null, null, null, null],
    [yes, yes, yes, yes],
  ]);
  expect(await onDay('05:00', '09:00')).toEqual([[null], [yes]]);
  // nothing was before the first, and it is unknown how often a variable without a cadence comes
  expect(await read(us('2025-12-31T22:00:00Z'), us('2026-01-01T02:00:00Z'), { fill: 'null' })).toEqual([
    [null, null, 0, 1],
    [no, no, no, no],
  ]);
  expect(await onDay('05:00', '09:00', { series: [{ variableKey: 1 }] })).toEqual([[], []]);
  // what is still to come is not missing
  const alive = [{ variableKey: 2, expectedCadenceS: 60 }];
  expect(await read(now, now + 4 * 3_600_000_000, { series: alive })).toEqual([[], []]);
});
