import { setTimeout as delay } from 'node:timers/promises';
import { sql } from '@weir/kit/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { openPlanting, type Planting } from '../harness/planting.js';
import { reading } from '../harness/points.js';
import type { Sending } from '../history/device.js';
import type { History } from '../history/history.js';
import { readExport } from '../history/reader.js';
import { underLoad } from '../history/under-load.js';
import { seed } from './seed.js';

/** The load goes on for so long before a process is killed, and after it is back. */
const loadMs = 700;
/** An instrument that points make by themselves. */
const madeByPoints = 'made-by-points';

let planting: Planting;
let faults: FaultStack;
beforeAll(async () => {
  planting = openPlanting();
  const { env } = planting;
  // the other processor goes on, and gets what the killed one had
  const envOf = { gateway: env, ingestion: env, variables: env, observations: env, 'processor-1': env };
  faults = await openFaultStack({ processors: 2, envOf });
});
afterAll(async () => {
  await faults?.[Symbol.asyncDispose]();
  planting[Symbol.dispose]();
});

/** A point of the code of a process: what is done there, and what is not. */
interface Point {
  readonly name: string;
  readonly point: string;
  /** Has the process come there, where the load alone does not. */
  readonly provoke?: (sending: Sending) => Promise<unknown>;
  /** Looks at what the history of devices does not have. */
  readonly afterwards?: (history: History) => Promise<void>;
}

/** Names that were committed, and not told, are found when they are asked for again, and not made twice. */
async function expectMadeOnce(): Promise<void> {
  const { rows } = await faults.database.query(sql`
    select count(distinct instruments.id)::int as instruments, count(*)::int as variables
    from variables.instruments join variables.variables on variables.instrument_id = instruments.id
    where instruments.name = ${madeByPoints}`);
  expect(rows).toEqual([{ instruments: 1, variables: 1 }]);
}

/** Exports what a device measured until an export fails. */
async function exportUntilCut(sending: Sending): Promise<void> {
  const [device] = sending.devices;
  const { reads } = sending.history;
  while (device !== undefined && !reads.some(({ what, status }) => what === 'export' && status !== 200))
    await readExport(sending, device);
}

/** An answer that had begun ended as one that is broken, and not as a shorter one. */
async function expectCut({ reads }: History): Promise<void> {
  const cut = reads.filter(({ what, status }) => what === 'export' && status !== 200);
  expect(cut).toMatchObject([{ status: 0, failure: 'broken' }]);
}

const points: readonly Point[] = [
  { name: 'gateway', point: 'admission in hand' },
  { name: 'ingestion', point: 'committed, not published' },
  { name: 'ingestion', point: 'published, not answered' },
  { name: 'ingestion', point: 'taken by the sweeper, not published', provoke: () => faults.loseMessages() },
  { name: 'processor-1', point: 'rows written, runs not completed' },
  { name: 'processor-1', point: 'runs completed, not acknowledged' },
  {
    name: 'variables',
    point: 'names committed',
    provoke: ({ gatewayUrl, tenant }) => apiOf(gatewayUrl, tenant).ingest([reading(madeByPoints, 0, 1)]),
    afterwards: expectMadeOnce,
  },
  { name: 'observations', point: 'page read, not answered' },
  {
    name: 'observations',
    point: 'export begun, not ended',
    provoke: exportUntilCut,
    afterwards: expectCut,
  },
];

/** Ends a process at a point of its code, and starts it again. */
async function killAt({ name, point }: Point): Promise<void> {
  const { pid, exited } = faults.stack.process(name);
  // asked for before it ends, so that its end is nobody's fault
  const restarted = faults.stack.restart(name);
  const killed = await planting.killAt(point);
  if (killed === undefined) await faults.stack.kill(name);
  await restarted;
  expect(killed, `${name} that came to: ${point}`).toBe(pid);
  expect(await exited).toEqual({ code: null, signal: 'SIGKILL' });
}

test.each(points)(`J1: $name is killed with: $point (FAULT_SEED=${seed})`, async (killed) => {
  const verdict = await underLoad(faults, seed, async (sending) => {
    await delay(loadMs);
    await Promise.all([killAt(killed), killed.provoke?.(sending)]);
    await delay(loadMs);
  });
  expect(verdict).toMatchObject({ violations: [], failed: 0 });
  expect(verdict.acknowledged).toBeGreaterThan(0);
  expect(verdict.read).toBeGreaterThan(0);
  await killed.afterwards?.(verdict.history);
});
