import { connect, type RpcClient } from '@weir/kit/rpc';
import { type Pool, sql } from '@weir/kit/sql';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startBookkeeping } from '../src/compute/start-bookkeeping.js';
import { type ProcessorEvents, processorEvents } from '../src/events.js';
import { failRecalculation } from '../src/store/recalculations.js';
import { calculationChange, forgetCalculations, minutes, runId, storedMarks } from './test-calculations.js';
import { startPeers, type TestCalculations, type TestPeers } from './test-peers.js';
import { projectId } from './test-points.js';
import { openTestPools, silentLog, type TestPools } from './test-servers.js';

let pools: TestPools;
let pool: Pool;
let admin: Pool;
beforeAll(async () => {
  pools = await openTestPools();
  ({ pool, admin } = pools);
});
afterAll(() => pools[Symbol.asyncDispose]());
beforeEach(() => forgetCalculations(admin));

/** Bookkeeping with a feed of its own; what it says is kept. */
async function bench() {
  const peers: TestPeers = await startPeers();
  const variables: RpcClient<VariablesServiceDefinition> = connect(VariablesServiceDefinition, peers.address);
  const said: string[] = [];
  const events: ProcessorEvents = {
    ...processorEvents(silentLog),
    backgroundFailed: ({ what }) => said.push(`${what} failed`),
    backgroundBack: ({ what }) => said.push(`${what} back`),
  };
  let taken = 0;
  const parts: AsyncDisposable[] = [];
  const start = (): void => {
    parts.push(startBookkeeping({ pool, variables, events, onTaken: () => void taken++ }));
  };
  start();
  return {
    calculations: peers.calculations,
    said,
    start,
    get taken() {
      return taken;
    },
    async [Symbol.asyncDispose]() {
      for (const part of parts) await part[Symbol.asyncDispose]();
      variables[Symbol.dispose]();
      await peers[Symbol.asyncDispose]();
    },
  };
}

const isEmpty = (calculations: TestCalculations) => () => calculations.changes.length === 0;
const run = (number: number, variableKey: number, runChanges = 1) =>
  calculationChange({ variableKey }, { runId: runId(number), runChanges, ranges: minutes([0, 10]) });

describe('bookkeeping', () => {
  test('takes over what waits, also twice, and acknowledges it', async () => {
    await using used = await bench();
    const { calculations } = used;
    let failures = 0;
    calculations.onAcknowledge = () => {
      if (failures++ === 0) throw new Error('away');
    };
    calculations.changes = Array.from({ length: 70 }, (_, i) => run(1, 10 + i, 70));
    used.start();
    await calculations.until(isEmpty(calculations));
    expect(await storedMarks(admin)).toHaveLength(70);
    expect(used.taken).toBeGreaterThan(0);
  });

  test('a project that cannot be taken over holds up no other one, and goes on when it can be', async () => {
    await using used = await bench();
    const { calculations } = used;
    const faulty = run(1, 8);
    const other = calculationChange({ variableKey: 20, projectId: runId(77) });
    const valueType = faulty.series?.valueType as string;
    if (faulty.series) faulty.series.valueType = 'colour';
    calculations.changes = [run(2, 7), faulty, run(3, 9), other];
    await calculations.until(() => calculations.changes.length === 2);
    expect(calculations.changes.map(({ series }) => series?.variableKey)).toEqual([8, 9]);
    if (faulty.series) faulty.series.valueType = valueType;
    await calculations.until(isEmpty(calculations));
    await calculations.until(() => used.said.length === 2);
    expect(used.said).toEqual(['take over changes failed', 'take over changes back']);
    expect((await storedMarks(admin)).map(({ key }) => key)).toEqual([7, 8, 9]);
  });

  test('tells how far runs are, and ends those that have nothing left', async () => {
    await using used = await bench();
    const { calculations } = used;
    calculations.changes = [
      run(1, 7, 2),
      run(2, 7),
      calculationChange({ variableKey: 8 }, { runId: runId(3), runChanges: 1 }),
    ];
    await calculations.until(() => calculations.reported(runId(3))?.state === 'succeeded');
    // the one of two changes is there, and its range was taken over by the second run
    await calculations.until(() => calculations.reported(runId(1))?.progress?.rangesSkipped === 1);
    expect(calculations.reported(runId(1))).toMatchObject({
      projectId,
      state: 'running',
      progress: { rangesTotal: 1 },
    });
    await admin.query(sql`
      update observations.dirty set instants = 30`);
    await admin.query(sql`
      update observations.recalculations set instants_done = 12, missing = '{"division_by_zero": 2}' where run_id = ${runId(2)}`);
    await calculations.until(() => calculations.reported(runId(2))?.progress?.instantsDone === 12);
    expect(calculations.reported(runId(2))).toEqual({
      projectId,
      runId: runId(2),
      state: 'running',
      errorCode: '',
      progress: {
        rangesTotal: 1,
        rangesDone: 0,
        rangesSkipped: 0,
        instantsTotal: 42,
        instantsDone: 12,
        missing: { division_by_zero: 2 },
      },
    });
    // a report that does not arrive is made again
    let failures = 0;
    calculations.onReport = () => {
      if (failures++ === 0) throw new Error('away');
    };
    await admin.query(sql`delete from observations.dirty`);
    await calculations.until(() => calculations.reported(runId(2))?.state === 'succeeded');
    expect(calculations.reported(runId(1))?.state).toBe('running');
    calculations.changes = [calculationChange({ variableKey: 9 }, { runId: runId(1), runChanges: 2 })];
    await calculations.until(() => calculations.reported(runId(1))?.state === 'succeeded');
    const ends = calculations.reports.filter(({ state }) => state !== 'running').map((report) => report.runId);
    expect(ends.sort()).toEqual([runId(1), runId(2), runId(3)]);
  });

  test('tells of runs that failed, and leaves what they have marked', async () => {
    await using used = await bench();
    const { calculations } = used;
    calculations.changes = [run(1, 7), run(2, 8)];
    await calculations.until(isEmpty(calculations));
    calculations.changes = [calculationChange(undefined, { cancelledRunId: runId(1) })];
    await failRecalculation.run(pool, { runId: runId(2), projectId, errorCode: 'processing_error' });
    await calculations.until(() => [1, 2].every((number) => calculations.reported(runId(number))?.state === 'failed'));
    expect(calculations.reported(runId(1))?.errorCode).toBe('cancelled');
    expect(calculations.reported(runId(2))?.errorCode).toBe('processing_error');
    expect((await storedMarks(admin)).map(({ lane }) => lane)).toEqual([2, 2]);
  });
});
