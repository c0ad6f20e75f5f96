import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Api, apiOf } from './api.js';
import { instantAt, reading } from './points.js';
import type { TestStack } from './stack.js';
import { createTenant } from './tenant.js';

const connections = 8;
const pointsPerBatch = 1000;
const instruments = 10;
/** Between the batches of one connection at the gentler pace. */
const pauseMs = 200;

/** What was sent, by which it is checked afterwards. */
export interface Volume {
  readonly api: Api;
  readonly batches: number;
  /** Run ids of all answers, in the order of their batches. */
  readonly runIds: string[];
}

/**
 * Sends `batchesMin` batches of 1,000 points over 8 connections as fast as they are answered, and then more at
 * a gentler pace until `until` is settled. Each goes under its own key and is retried until it is answered with
 * 200. Point k of batch b is second `b * 100 + k / 10` of instrument `k % 10`.
 */
export async function sendVolume(stack: TestStack, batchesMin: number, until?: Promise<unknown>): Promise<Volume> {
  const api = apiOf(stack.gatewayUrl, await createTenant(stack.addresses.access));
  const runIds: string[][] = [];
  let isOver = until === undefined;
  const over = (until ?? Promise.resolve()).finally(() => {
    isOver = true;
  });
  const sender = async (): Promise<void> => {
    while (runIds.length < batchesMin || !isOver) {
      const batch = runIds.push([]) - 1;
      const points = Array.from({ length: pointsPerBatch }, (_, k) =>
        reading(`logger ${k % instruments}`, batch * 100 + Math.floor(k / instruments), batch * pointsPerBatch + k),
      );
      const { runs } = await api.ingest(points, `batch-${batch}`);
      runIds[batch] = runs.map((run) => run.run_id);
      if (batch >= batchesMin) await Promise.race([over, delay(pauseMs)]);
    }
  };
  await Promise.all([over, ...Array.from({ length: connections }, sender)]);
  return { api, batches: runIds.length, runIds: runIds.flat() };
}

/** Every run succeeded, and every acknowledged point is exactly one observation. */
export async function checkVolume(volume: Volume): Promise<void> {
  const { api, batches, runIds } = volume;
  expect(runIds).toHaveLength(batches * pointsPerBatch);
  expect(new Set(runIds).size).toBe(runIds.length);
  for (const state of ['queued', 'failed', 'partially_succeeded']) {
    const { body } = await api.request<{ data: { items: unknown[] } }>(
      'GET',
      `/v1/ingest/runs?state=${state}&limit=10`,
    );
    expect(body.data.items, state).toEqual([]);
  }
  for (let instrument = 0; instrument < instruments; instrument++) {
    const run = await api.run(runIds[instrument] ?? '');
    expect(run.state).toBe('succeeded');
    const series = await api.observations(run.variables[0]?.variable_id ?? '');
    const seconds = batches * 100;
    expect(series.timestamps).toHaveLength(seconds);
    for (let second = 0; second < seconds; second++) {
      const value = Math.floor(second / 100) * pointsPerBatch + (second % 100) * instruments + instrument;
      if (series.timestamps[second] !== instantAt(second) || series.values[second] !== value) {
        expect([series.timestamps[second], series.values[second]]).toEqual([instantAt(second), value]);
      }
    }
  }
}
