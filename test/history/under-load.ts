import { setTimeout as delay } from 'node:timers/promises';
import { apiOf } from '../harness/api.js';
import type { FaultStack } from '../harness/fault-stack.js';
import { createTenant } from '../harness/tenant.js';
import { checkHistory, type Verdict } from './check-history.js';
import { countRuns } from './count-runs.js';
import { createDevice, runDevice, type Sending } from './device.js';
import type { History } from './history.js';
import { readFacts } from './read-facts.js';
import { runReader } from './reader.js';

/** A slow machine may not have come to read anything yet; what was read is judged by who asked for the load. */
const untilReadMs = 30_000;

/** Waits until a read has been answered, but not for ever. */
async function untilRead({ reads }: History): Promise<void> {
  const latestMs = performance.now() + untilReadMs;
  while (performance.now() < latestMs && !reads.some(({ status }) => status === 200)) await delay(20);
}

/** How a load is, unless it is said otherwise: enough that every part always has something in hand. */
const usual = { devices: 6, pointsMax: 60, pauseMs: 60, corrections: 25, settleMs: 100_000 };

/**
 * Sends from several devices, and reads what they sent, while `work` goes on, waits until everything has settled, and
 * decides over all that was done. The seed fixes what devices send.
 *
 * @throws Error when the stack does not settle, or a device is refused
 */
export async function underLoad(
  faults: FaultStack,
  seed: number,
  work: (sending: Sending) => Promise<void>,
  load: Partial<typeof usual> = {},
): Promise<Verdict & { readonly history: History }> {
  const { devices: count, settleMs, ...pace } = { ...usual, ...load };
  const { stack, database } = faults;
  const { gatewayUrl } = stack;
  const tenant = await createTenant(stack.addresses.access);
  const { untilServed } = apiOf(gatewayUrl, tenant);
  // the service that devices are made by may have been away until now
  await untilServed(`/dev-api/v1/p/${tenant.projectId}/instruments`);
  const names = Array.from({ length: count }, (_, at) => `logger-${at}`);
  const devices = await Promise.all(names.map((name) => createDevice(gatewayUrl, tenant, name)));
  // what follows is computed as points come, and not by the recalculation that a new variable begins with
  await faults.settled();
  const counted = await countRuns(faults);
  const history: History = { sent: [], sightings: [], reads: [] };
  const stop = new AbortController();
  const sending = { gatewayUrl, tenant, devices, history, seed, ...pace, stop: stop.signal };
  await Promise.all([
    work(sending)
      .then(() => untilRead(history))
      .finally(() => stop.abort()),
    ...names.map((name, number) => runDevice(sending, name, number)),
    runReader(sending),
  ]);
  await faults.settled(settleMs);
  await untilServed(`/dev-api/v1/p/${tenant.projectId}/observations/latest?variable_id=${devices[0]?.measuredId}`);
  const messages = () => faults.messages();
  const runs = await counted();
  const facts = await readFacts({ database, gatewayUrl, tenant, devices, messages, runs });
  return { ...checkHistory(history, facts), history };
}
