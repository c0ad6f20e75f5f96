import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findMigrations, migrate, readMigrationStates } from '@weir/kit/migrations';
import { createEmptyDatabase } from '@weir/kit/testing';
import { servingProcesses } from '@weir/stack';
import { describe, expect, test } from 'vitest';
import { root } from '../harness/checkout.js';
import { openFaultStack } from '../harness/fault-stack.js';
import { openPreviousRelease, withOurMigrations } from '../harness/release.js';
import { startBeforeSchema, type Waited } from '../harness/waiting-stack.js';
import { underLoad } from '../history/under-load.js';

/** A process waits for its schema; it is there, and soon everything serves that was started before. */
function expectPatience({ readyMs, starts }: Waited): void {
  expect(readyMs).toBeLessThan(10_000);
  expect([...starts.values()].every((count) => count === 1)).toBe(true);
}

test('H6: everything that is started on an empty database waits, and serves within 10 s once the schema is there', async () => {
  await using database = await createEmptyDatabase();
  const names = [...servingProcesses, 'processor-1'];
  const waiting = Object.fromEntries(names.map((name) => [name, /"msg":"not ready"/]));
  expectPatience(
    await startBeforeSchema(database.url, waiting, async () => migrate(database.url, await findMigrations(root))),
  );
});

const release = await openPreviousRelease();

/** What of the release before is tried on our schema: each statement that it has, and what people do with it. */
const theirTests = [
  'services/access/test/statements.test.ts',
  'services/dashboards/test/statements.test.ts',
  'services/ingestion/test/statements.test.ts',
  'services/observations/test/statements.test.ts',
  'services/observations/test/query-statements.test.ts',
  'services/parsers/test/statements.test.ts',
  'services/variables/test/statements.test.ts',
  'test/e2e/first-light.test.ts',
  'test/e2e/calculations.test.ts',
  'test/e2e/catalog.test.ts',
  'test/e2e/dashboards.test.ts',
  'test/e2e/parsers.test.ts',
];

describe.runIf(release !== undefined)('from the release before to this one', () => {
  const before = release ?? '';

  test('H8: the release before passes its own tests on the schema of this one', { timeout: 900_000 }, async () => {
    const checkout = await withOurMigrations(before);
    const args = [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'integration',
      '--project',
      'e2e',
      ...theirTests,
    ];
    // vitest within vitest: what this one tells its workers is not for that one
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$)/.test(name)));
    const options = { cwd: checkout, env, maxBuffer: 64 * 1024 * 1024 };
    const ran = await promisify(execFile)(process.execPath, args, options).catch(
      (error: { stdout: string; stderr: string }) => ({ ...error, failed: true }),
    );
    expect('failed' in ran ? ran.stdout + ran.stderr : '').toBe('');
  });

  test('H8: on the schema of the release before, this one lives, says that it is too old, and serves once it is not', async () => {
    await using database = await createEmptyDatabase();
    await migrate(database.url, await findMigrations(before));
    // an upgrade without a migration has nothing to wait for
    const states = await readMigrationStates(database.url, await findMigrations(root));
    const older = states.filter(({ version, latest }) => version < latest).map(({ service }) => service);
    const names = older.flatMap((service) => (service === 'observations' ? [service, 'processor-1'] : [service]));
    const waiting = Object.fromEntries(
      names.map((name) => [name, /schema \w+ (is at version \d+|cannot be read), \d+ is needed: run weir migrate/]),
    );
    expectPatience(
      await startBeforeSchema(database.url, waiting, async () => migrate(database.url, await findMigrations(root))),
    );
  });

  test('H8, J10: each process in turn goes to this release under load, and nothing is lost, twice or wrong', {
    timeout: 400_000,
  }, async () => {
    const env = { DRAIN_MS: '500' };
    await using faults = await openFaultStack({ replicas: 2, processors: 2, checkout: before, env });
    const verdict = await underLoad(faults, 8, async () => {
      for (const kind of ['processor-1', 'access', 'gateway', 'variables', 'observations', 'ingestion', 'processor-2'])
        for (const name of kind.startsWith('processor') ? [kind] : [kind, `${kind}-2`]) {
          await faults.stack.kill(name, 'SIGTERM');
          await faults.stack.restartFrom(name, root);
          await faults.stack.ready();
        }
    });
    expect(verdict.violations).toEqual([]);
    expect(verdict.failed).toBe(0);
    expect(verdict.acknowledged).toBeGreaterThan(0);
    expect(verdict.read).toBeGreaterThan(0);
  });
});

test.runIf(release === undefined)('H8: from the release before to this one', ({ skip }) => {
  skip('neither this repository nor its origin has the commit in test/operations/releases.json');
});
