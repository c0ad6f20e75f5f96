import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parseRunId } from '@weir/kit/ids';
import { sql } from '@weir/kit/sql';
import { expect, test } from 'vitest';
import { type Api, apiOf, type Point } from '../harness/api.js';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { reading } from '../harness/points.js';
import { createTenant } from '../harness/tenant.js';
import { underLoad } from '../history/under-load.js';
import { seed } from './seed.js';

const run = promisify(execFile);
/** Batches whose messages are in the stream when the database is restored to a time before them. */
const staleBatches = 30;
/** PostgreSQL writes numbers of a sequence to its log so many at a time: after a restore it may go on that much later. */
const sequenceAhead = 32;
/** A restore takes longer than what is processed unasked is old: docs/decisions/0008. */
const restoreMsMin = 6000;

/** Values of points that were admitted after the restore are above it; those that are gone with the restore are below. */
const keptAbove = 1_000_000;

/** The numbers that batches have, by the run that is the first of each. */
async function numbersOf({ database }: FaultStack, runIds: readonly string[]): Promise<number[]> {
  const publicIds = runIds.map((id) => parseRunId(id).batchId);
  const { rows } = await database.query(sql`
    select id from ingestion.batches where public_id = any(${publicIds}::uuid[]) order by id`);
  return rows.map(({ id }) => Number(id));
}

/** Sends points, a batch each, and answers their runs. */
async function send(api: Api, points: readonly Point[]): Promise<string[]> {
  const answers = await Promise.all(points.map((point) => api.ingest([point])));
  return answers.map(({ runs }) => runs[0]?.run_id ?? '');
}

test(`J11: PostgreSQL is restored from a base backup while NATS has messages of later batches (FAULT_SEED=${seed})`, async () => {
  await using faults = await openFaultStack({ processors: 2 });
  const { servers, stack } = faults;
  const [data, backup] = [join(servers.directory, 'postgres'), join(servers.directory, 'postgres.backup')];
  const api = apiOf(stack.gatewayUrl, await createTenant(stack.addresses.access));
  // the backup has what the stale points name
  await send(api, [reading('gauge', 0, 0)]);
  const before = await underLoad(faults, seed, async () => {
    await delay(1000);
    const args = ['-D', backup, '-d', servers.databaseUrl, '-X', 'stream', '-c', 'fast'];
    await run(join(servers.postgresBin, 'pg_basebackup'), args);
    await delay(500);
  });
  expect(before).toMatchObject({ violations: [], failed: 0 });
  await send(
    api,
    Array.from({ length: sequenceAhead }, (_, at) => reading('gauge', 500 + at, 500 + at)),
  );
  await faults.settled();

  await Promise.all(['processor-1', 'processor-2'].map((name) => stack.kill(name)));
  const stalePoints = Array.from({ length: staleBatches }, (_, at) => reading('gauge', 1 + at, 1 + at));
  const stale = await numbersOf(faults, await send(api, stalePoints));
  expect(stale).toHaveLength(staleBatches);
  const staleMs = Date.now();
  await servers.kill('postgres');
  // the data belong to the account that the server runs as
  await run('chown', ['-R', `--reference=${data}`, backup]);
  await rm(data, { recursive: true });
  await rename(backup, data);
  await servers.start('postgres');

  // the numbers of the stale batches are given again, to points of the same variable, before any processor asks for one
  const points: Point[] = [];
  const runIds: string[] = [];
  let again: number[] = [];
  while ((again.at(-1) ?? 0) < (stale.at(-1) as number)) {
    const next = Array.from({ length: 20 }, (_, at) => {
      const second = 1000 + points.length + at;
      return reading('gauge', second, keptAbove + second);
    });
    points.push(...next);
    runIds.push(...(await send(api, next)));
    again = await numbersOf(faults, runIds);
  }
  expect(stale.filter((number) => again.includes(number))).toEqual(stale);
  await delay(Math.max(0, staleMs + restoreMsMin - Date.now()));

  // one takes them all, and is asked what it made of them
  await stack.restart('processor-1');
  expect(await faults.messages()).toBe(0);
  await faults.settled();
  const runs = await Promise.all(runIds.map((id) => api.run(id)));
  expect(runs.map(({ state }) => state)).toEqual(points.map(() => 'succeeded'));
  const [variableId = ''] = new Set(runs.map(({ variables }) => variables[0]?.variable_id ?? ''));
  const { timestamps, values } = await api.observations(variableId);
  const kept = [reading('gauge', 0, 0), ...points];
  expect(values).toEqual(kept.map(({ ingested_variables: [variable] }) => variable?.value));
  expect(timestamps.map((at) => Date.parse(at))).toEqual(kept.map((point) => Date.parse(point.instrument_timestamp)));
  expect(await faults.metric('ingestion', 'weir_ingestion_batches_unknown_total')).toBeGreaterThanOrEqual(staleBatches);
  await stack.restart('processor-2');

  const after = await underLoad(faults, seed + 1, () => delay(3000));
  expect(after).toMatchObject({ violations: [], failed: 0 });
});
