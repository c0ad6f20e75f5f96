import { setTimeout as delay } from 'node:timers/promises';
import type { RunDetail } from '../harness/api.js';
import { projectApiOf } from '../harness/project-api.js';
import type { Tenant } from '../harness/tenant.js';
import { type Choices, choicesOf } from '../model/choices.js';
import type { Answer, History, Reading, Sent } from './history.js';
import { smoothing } from './smoothed.js';

/** An answer is waited for so long; then the device sends again. Longer than the gateway takes to tell that it cannot. */
export const patienceMs = 20_000;
/** A device goes on with one request for so long: longer than any fault lasts. */
const persistenceMs = 150_000;
/** The first reading of every device; each further one is of a second later. */
export const startUs = Date.UTC(2026, 0, 1) * 1000;

/** A device of a tenant, with the ids of what it measures and of what is calculated from that. */
export interface Device {
  readonly name: string;
  readonly measuredId: string;
  readonly calculatedId: string;
}

/** Makes an instrument that measures `level`, with a calculated variable. */
export async function createDevice(gatewayUrl: string, tenant: Tenant, name: string): Promise<Device> {
  const project = projectApiOf(gatewayUrl, tenant);
  const instrument = await project.done('POST', '/instruments', { name });
  const path = `/instruments/${instrument.id}`;
  const level = await project.done('POST', `${path}/ingested-variables`, { name: 'level' });
  const { windowId, nowId, windowS, expression } = smoothing;
  const input = { kind: 'self_variable', variable_id: level.id };
  const { resource } = await project.done('POST', `${path}/calculated-variables`, {
    name: 'smooth',
    calculations: [
      {
        start_time: '1970-01-01T00:00:00Z',
        expression,
        inputs: [
          { id: windowId, ...input, past_buffer_seconds: windowS },
          { id: nowId, ...input },
        ],
      },
    ],
  });
  return { name, measuredId: level.id, calculatedId: resource.id };
}

/** How devices send. */
export interface Sending {
  readonly gatewayUrl: string;
  readonly tenant: Tenant;
  readonly devices: readonly Device[];
  readonly history: History;
  readonly seed: number;
  /** Points of a request at most. */
  readonly pointsMax: number;
  /** Between requests, at most. */
  readonly pauseMs: number;
  /** How many of a hundred requests correct readings that were sent. */
  readonly corrections: number;
  /** Ends sending, once the request in hand is answered. */
  readonly stop: AbortSignal;
}

type Body = { data?: { replayed: boolean; runs: { run_id: string; state: string }[] } };

/** Sends a request once. */
export async function send(
  { gatewayUrl, tenant }: Pick<Sending, 'gatewayUrl' | 'tenant'>,
  { key, device, readings }: Sent,
): Promise<Answer> {
  const sentMs = performance.now();
  const data = readings.map(({ atUs, value }) => ({
    instrument_timestamp: new Date(atUs / 1000).toISOString(),
    instrument_name: device,
    ingested_variables: [{ name: 'level', value }],
  }));
  let failure: 'reset' | 'broken' = 'reset';
  try {
    const response = await fetch(new URL('/v1/ingest', gatewayUrl), {
      method: 'POST',
      headers: { 'x-api-key': tenant.ingestionKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ data }),
      signal: AbortSignal.timeout(patienceMs),
    });
    failure = 'broken';
    const { data: accepted } = (await response.json()) as Body;
    const told = accepted && {
      runs: accepted.runs.map((run) => run.run_id),
      states: accepted.runs.map((run) => run.state),
      replayed: accepted.replayed,
    };
    const wait = response.headers.get('retry-after');
    const further = { ...told, ...(wait !== null && { retryAfterS: Number(wait) }) };
    return { sentMs, endedMs: performance.now(), status: response.status, ...further };
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError';
    return { sentMs, endedMs: performance.now(), status: 0, failure: isLate ? 'silent' : failure };
  }
}

/** Sends a request until it is answered with 200, and records every try. */
async function persist(sending: Sending, request: Sent): Promise<void> {
  const endMs = performance.now() + persistenceMs;
  for (;;) {
    const answer = await send(sending, request);
    request.answers.push(answer);
    const { runs = [], states = [], sentMs, endedMs } = answer;
    sending.history.sightings.push(
      ...runs.map((runId, at) => ({ runId, sentMs, endedMs, state: states[at] ?? 'untold' })),
    );
    if (answer.status === 200) return;
    const mayCome = answer.status === 0 || answer.status >= 500 || answer.status === 429;
    if (!mayCome || performance.now() > endMs)
      throw new Error(`key ${request.key} of ${request.device} was answered with ${answer.status}`);
    await delay(50);
  }
}

/** Looks at a run, as a client does that wants to know what became of its point. */
async function look({ gatewayUrl, tenant, history }: Sending, runId: string): Promise<void> {
  const sentMs = performance.now();
  const response = await fetch(new URL(`/v1/ingest/runs/${runId}`, gatewayUrl), {
    headers: { 'x-api-key': tenant.ingestionKey },
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => undefined);
  if (response?.status !== 200) {
    await response?.body?.cancel();
    return;
  }
  const { state, error } = ((await response.json().catch(() => ({ data: {} }))) as { data: RunDetail }).data;
  if (state === undefined) return;
  history.sightings.push({ runId, sentMs, endedMs: performance.now(), state, ...(error && { code: error.code }) });
}

/** New readings, or corrections of some that were sent. */
function nextReadings(choices: Choices, { pointsMax, corrections }: Sending, length: number): Reading[] {
  const count = choices.between(1, pointsMax);
  const isCorrection = length > 0 && choices.isTrue(corrections);
  const first = isCorrection ? choices.between(0, length - 1) : length;
  return Array.from({ length: count }, (_, i) => ({
    atUs: startUs + (first + i) * 1_000_000,
    value: choices.between(-1_000_000, 1_000_000) / 64,
  }));
}

/** One device: sends one request after the other, some again under the same key, and looks at runs. */
export async function runDevice(sending: Sending, device: string, number: number): Promise<void> {
  const { history, seed, stop, pauseMs } = sending;
  const choices = choicesOf(seed * 1000 + number);
  const own: Sent[] = [];
  let length = 0;
  while (!stop.aborted) {
    const readings = nextReadings(choices, sending, length);
    const lastUs = readings.at(-1)?.atUs ?? startUs;
    length = Math.max(length, (lastUs - startUs) / 1_000_000 + 1);
    const request: Sent = { key: `${device}-${own.length}`, device, readings, answers: [] };
    own.push(request);
    history.sent.push(request);
    await persist(sending, request);
    if (choices.isTrue(15)) await persist(sending, choices.oneOf(own));
    const { answers } = choices.oneOf(own);
    const runs = answers.find(({ status }) => status === 200)?.runs ?? [];
    if (choices.isTrue(20) && runs.length > 0) await look(sending, choices.oneOf(runs));
    await delay(choices.between(0, pauseMs));
  }
}
