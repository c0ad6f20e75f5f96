import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startedAccess } from './started-access.js';
import { startedObservations } from './started-observations.js';
import { startedQueue } from './started-queue.js';
import { weir } from './weir.js';

const nowhere = {
  VARIABLES_ADDRESS: '127.0.0.1:1',
  DASHBOARDS_ADDRESS: '127.0.0.1:1',
  PARSERS_ADDRESS: '127.0.0.1:1',
  OBSERVATIONS_ADDRESS: '127.0.0.1:1',
};

describe('weir status', () => {
  test('is 0 when all serve and the schemas are current', async () => {
    await using access = await startedAccess();
    const oldestMs = Date.now() - 1000;
    await using ingestion = await startedQueue({
      unfinishedBatches: 1,
      unfinishedRuns: 2,
      // of a run that is retried
      oldestAdmittedAtUs: (oldestMs - 86_400_000) * 1000,
      oldestFreshAdmittedAtUs: oldestMs * 1000,
      isStreamConnected: true,
      streamBytes: 1,
      streamBytesMax: 4,
    });
    await using observations = await startedObservations({ live: 0, recalculation: 2, putAside: 1 });
    // any service that is healthy answers a probe alike
    const others = {
      VARIABLES_ADDRESS: access.env['ACCESS_ADDRESS'] ?? '',
      DASHBOARDS_ADDRESS: access.env['ACCESS_ADDRESS'] ?? '',
      PARSERS_ADDRESS: access.env['ACCESS_ADDRESS'] ?? '',
      OBSERVATIONS_ADDRESS: observations.address,
    };
    const env = {
      ...access.env,
      ...others,
      INGESTION_ADDRESS: ingestion.address,
      DATABASE_URL: access.databaseUrl,
    };
    const { code, stdout } = await weir(['status', '--json'], env);
    const status = JSON.parse(stdout) as Record<string, readonly unknown[]>;
    expect({ code, status }).toMatchObject({
      code: 0,
      status: {
        is_well: true,
        services: [
          { service: 'access', is_serving: true, reason: null },
          { service: 'variables', is_serving: true },
          { service: 'dashboards', is_serving: true },
          { service: 'parsers', is_serving: true },
          { service: 'ingestion', is_serving: true },
          { service: 'observations', is_serving: true },
        ],
        queue: {
          unfinished_batches: 1,
          unfinished_runs: 2,
          oldest_admitted_at: new Date(oldestMs - 86_400_000).toISOString(),
          is_late: false,
          is_stream_connected: true,
          is_backlog_full: false,
          stream_share: 0.25,
        },
        limits: null,
        calculations: { live: 0, recalculation: 2, put_aside: 1 },
      },
    });
    expect(status['schemas']).toContainEqual({
      service: 'access',
      version: expect.any(Number),
      latest: expect.any(Number),
      is_current: true,
    });
  });

  test('is 1 when something is not well, and says what', async () => {
    await using access = await startedAccess();
    const env = { ...access.env, ...nowhere, INGESTION_ADDRESS: '127.0.0.1:1' };
    const { code, stdout } = await weir(['status'], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^service access\tserving at /m);
    expect(stdout).toMatch(/^service variables\tNOT SERVING at 127.0.0.1:1: It cannot be asked: .*ECONNREFUSED/m);
    expect(stdout).toMatch(/^queue\tunknown$/m);
    expect(stdout).toMatch(/^calculations\tunknown$/m);
    expect(stdout).not.toMatch(/^schema/m);
  });

  test('tells what it can while the database does not answer', async () => {
    const access = { ACCESS_ADDRESS: '127.0.0.1:1', INGESTION_ADDRESS: '127.0.0.1:1' };
    const env = { ...access, ...nowhere, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/weir' };
    const { code, stdout } = await weir(['status'], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^service access\tNOT SERVING at 127.0.0.1:1: It cannot be asked: /m);
    expect(stdout).toMatch(/^schemas\tunknown: the database does not answer$/m);
    expect(JSON.parse((await weir(['status', '--json'], env)).stdout)).toMatchObject({
      is_well: false,
      schemas: 'unknown',
    });
  });

  test('tells each state in which less is done: NATS away, the backlog full, Redis away', async () => {
    await using access = await startedAccess();
    await using ingestion = await startedQueue({ unfinishedRuns: 9, unfinishedBatches: 3, isBacklogFull: true });
    await using observations = await startedObservations({ live: 0, recalculation: 0, putAside: 0 });
    const metrics = createServer((_, response) => response.end('weir_gateway_limits_degraded 1\n')).listen(
      0,
      '127.0.0.1',
    );
    await once(metrics, 'listening');
    const url = `http://127.0.0.1:${(metrics.address() as AddressInfo).port}/metrics`;
    const { ACCESS_ADDRESS: address = '' } = access.env;
    const env = {
      ...access.env,
      VARIABLES_ADDRESS: address,
      DASHBOARDS_ADDRESS: address,
      PARSERS_ADDRESS: address,
      INGESTION_ADDRESS: ingestion.address,
      OBSERVATIONS_ADDRESS: observations.address,
      WEIR_METRICS_URL: url,
    };
    const { code, stdout } = await weir(['status'], env);
    metrics.close();
    expect(code).toBe(1);
    expect(stdout).toMatch(/^queue\t9 runs of 3 batches wait, .*; NOTHING MORE IS ADMITTED$/m);
    expect(stdout).toMatch(/^stream\tAWAY: points are admitted and wait in PostgreSQL$/m);
    expect(stdout).toMatch(/^limits\tREDIS IS AWAY: each gateway limits by its share$/m);
  });

  test.each([
    [
      'nothing is processed',
      {
        unfinishedBatches: 1,
        unfinishedRuns: 2,
        oldestAdmittedAtUs: 1_767_225_600_000_000,
        oldestFreshAdmittedAtUs: 1_767_225_600_000_000,
      },
      /^queue\t2 runs of 1 batches wait, the oldest since 2026-01-01T00:00:00.000Z; LATE: see whether processors run$/m,
    ],
    [
      'the stream is full',
      { streamBytes: 96, streamBytesMax: 100 },
      /^stream\tconnected, 96 % full: points are admitted and WAIT IN POSTGRESQL$/m,
    ],
  ])('is 1 when %s', async (_, queue, line) => {
    await using access = await startedAccess();
    await using ingestion = await startedQueue({ isStreamConnected: true, ...queue });
    await using observations = await startedObservations({ live: 0, recalculation: 0, putAside: 0 });
    const { ACCESS_ADDRESS: address = '' } = access.env;
    const others = { VARIABLES_ADDRESS: address, DASHBOARDS_ADDRESS: address, PARSERS_ADDRESS: address };
    const env = {
      ...access.env,
      ...others,
      INGESTION_ADDRESS: ingestion.address,
      OBSERVATIONS_ADDRESS: observations.address,
    };
    const { code, stdout } = await weir(['status'], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(line);
  });
});
