import { describe, expect, test } from 'vitest';
import { startedAccess } from './started-access.js';
import { startedIngestion } from './started-ingestion.js';
import { startedObservations } from './started-observations.js';
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
    await using ingestion = await startedIngestion();
    await using observations = await startedObservations({ live: 0, recalculation: 2, putAside: 1 });
    await ingestion.admit(ingestion.newScope(), 2, []);
    // any service that is healthy answers a probe alike
    const others = {
      VARIABLES_ADDRESS: access.env['ACCESS_ADDRESS'] ?? '',
      DASHBOARDS_ADDRESS: access.env['ACCESS_ADDRESS'] ?? '',
      PARSERS_ADDRESS: access.env['ACCESS_ADDRESS'] ?? '',
      OBSERVATIONS_ADDRESS: observations.address,
    };
    const env = { ...access.env, ...ingestion.env, ...others, DATABASE_URL: access.databaseUrl };
    const { code, stdout } = await weir(['status', '--json'], env);
    const status = JSON.parse(stdout) as Record<string, readonly unknown[]>;
    expect({ code, status }).toMatchObject({
      code: 0,
      status: {
        is_well: true,
        services: [
          { service: 'access', is_serving: true },
          { service: 'variables', is_serving: true },
          { service: 'dashboards', is_serving: true },
          { service: 'parsers', is_serving: true },
          { service: 'ingestion', is_serving: true },
          { service: 'observations', is_serving: true },
        ],
        queue: { unfinished_batches: 1, unfinished_runs: 2, oldest_admitted_at: expect.stringMatching(/Z$/) },
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
    expect(stdout).toMatch(/^service variables\tNOT SERVING at 127.0.0.1:1$/m);
    expect(stdout).toMatch(/^queue\tunknown$/m);
    expect(stdout).toMatch(/^calculations\tunknown$/m);
    expect(stdout).not.toMatch(/^schema/m);
  });
});
