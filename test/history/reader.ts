import { setTimeout as delay } from 'node:timers/promises';
import { formatInstant } from '@weir/kit/time';
import type { RunSummary } from '../harness/api.js';
import { type Choices, choicesOf } from '../model/choices.js';
import { usOf } from '../model/world.js';
import { type Device, patienceMs, type Sending, startUs } from './device.js';
import type { BucketsRead, History, RowsRead } from './history.js';

/** Between reads, at most. */
const pauseMsMax = 80;
/** Runs that are older than this are mostly final. */
const settledMs = 300;
/** Pages of one read, at most. */
const pagesMax = 3;
const secondUs = 1_000_000;
const dayUs = 86_400 * secondUs;

/** Buckets that are made of observations, and ones of a range so long that they are made of rollups. */
const bucketsOf = [
  { interval: 'PT1M', lengthUs: 60 * secondUs, rangeUs: 7200 * secondUs },
  { interval: 'PT15M', lengthUs: 900 * secondUs, rangeUs: dayUs },
] as const;

/** How a request for text ended; `status` is 0 when it did not. */
type Ended = Pick<RowsRead, 'sentMs' | 'endedMs' | 'status' | 'retryAfterS' | 'failure'> & { readonly text: string };

async function ask(
  { gatewayUrl, tenant }: Sending,
  path: string,
  signal = AbortSignal.timeout(patienceMs),
): Promise<Ended> {
  const sentMs = performance.now();
  let failure: 'reset' | 'broken' = 'reset';
  try {
    const response = await fetch(new URL(`/dev-api/v1/p/${tenant.projectId}${path}`, gatewayUrl), {
      headers: { authorization: `Bearer ${tenant.developerKey}` },
      signal,
    });
    failure = 'broken';
    const text = await response.text();
    const wait = response.headers.get('retry-after');
    const further = wait === null ? {} : { retryAfterS: Number(wait) };
    return { sentMs, endedMs: performance.now(), status: response.status, text, ...further };
  } catch {
    return { sentMs, endedMs: performance.now(), status: 0, text: '', failure: signal.aborted ? 'silent' : failure };
  }
}

/** Asks for observations; what is in hand at the end is left. */
function askUntilStopped(sending: Sending, path: string): Promise<Ended> {
  return ask(sending, path, AbortSignal.any([sending.stop, AbortSignal.timeout(patienceMs)]));
}

type Columns = { readonly variable_id: string; readonly timestamps: string[] } & Record<string, number[] | undefined>;
type Body<Item> = {
  readonly data?: { readonly items: Item[]; readonly next_cursor: string | null };
  readonly error?: { readonly code: string };
};

/** The body of an answer that came whole; nothing where it is none, which the checker tells. */
function parseBody<Item>(text: string): Body<Item> {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

/** What a history has of any answer, and the one item that a 200 has of the device. */
function toRead({ text, ...ended }: Ended, { name, measuredId }: Device, fromUs: number, toUs: number) {
  const { data, error } = parseBody<Columns>(text);
  const items = (data?.items ?? []).filter((item) => item.variable_id === measuredId);
  const cursor = data?.next_cursor ?? undefined;
  return {
    read: {
      ...ended,
      device: name,
      fromUs,
      toUs,
      goesOn: cursor !== undefined,
      ...(error !== undefined && { code: error.code }),
    },
    item: items.length === 1 ? items[0] : undefined,
    cursor,
  };
}

const query = (path: string, { measuredId }: Device, fromUs: number, toUs: number): string =>
  `${path}?variable_id=${measuredId}&start=${formatInstant(fromUs)}&end=${formatInstant(toUs)}`;

/** Reads a range page by page. */
async function readPages(sending: Sending, device: Device, choices: Choices): Promise<void> {
  const { reads, sent } = sending.history;
  const lastUs = sent.findLast((request) => request.device === device.name)?.readings.at(-1)?.atUs ?? startUs;
  const end = (lastUs - startUs) / secondUs + 1;
  const first = choices.between(0, end);
  const toUs = startUs + (choices.isTrue(50) ? end + 60 : first + choices.between(1, end)) * secondUs;
  const path = query('/observations', device, startUs + first * secondUs, toUs);
  const limit = choices.oneOf([20, 200, 1000]);
  let fromUs = startUs + first * secondUs;
  let after = '';
  for (let page = 0; page < pagesMax; page++) {
    const ended = await askUntilStopped(sending, `${path}&limit=${limit}${after}`);
    if (sending.stop.aborted) return;
    const { read, item, cursor } = toRead(ended, device, fromUs, toUs);
    const columns = item && { atUs: item.timestamps.map(usOf), values: item['values'] ?? [] };
    reads.push({ ...read, what: 'page', ...(columns && { columns }) } satisfies RowsRead);
    if (cursor === undefined || columns === undefined) return;
    after = `&cursor=${encodeURIComponent(cursor)}`;
    fromUs = (columns.atUs.at(-1) ?? fromUs) + 1;
  }
}

async function readBuckets(sending: Sending, device: Device, choices: Choices): Promise<void> {
  const { interval, lengthUs, rangeUs } = choices.oneOf(bucketsOf);
  const [fromUs, toUs] = [startUs, startUs + rangeUs];
  const path = query('/observations', device, fromUs, toUs);
  const ended = await askUntilStopped(sending, `${path}&interval=${interval}&aggregation=count,min,max`);
  if (sending.stop.aborted) return;
  const { read, item } = toRead(ended, device, fromUs, toUs);
  const [count = [], min = [], max = []] = [item?.['count'], item?.['min'], item?.['max']];
  const columns = item && { atUs: item.timestamps.map(usOf), count, min, max };
  sending.history.reads.push({ ...read, what: 'buckets', lengthUs, ...(columns && { columns }) } satisfies BucketsRead);
}

/** Exports all that a device measured, and records how that ended. */
export async function readExport(sending: Sending, device: Device): Promise<void> {
  const [fromUs, toUs] = [startUs, startUs + dayUs];
  const ended = await askUntilStopped(sending, query('/observations/export', device, fromUs, toUs));
  if (sending.stop.aborted) return;
  const { read } = toRead(ended, device, fromUs, toUs);
  const [header, ...lines] = ended.text.split('\r\n').map((line) => line.split(','));
  // a text that ends within a line is none that was written whole
  const isWhole = header?.at(-1) === 'value' && lines.pop()?.join() === '';
  const columns = { atUs: lines.map(([at = '']) => usOf(at)), values: lines.map((line) => Number(line.at(-1))) };
  sending.history.reads.push({ ...read, what: 'export', goesOn: false, ...(isWhole && { columns }) });
}

/** Lists runs that were admitted a moment ago, to know what must be there. Always to the end: where calls of the service were called off, its counts would prove nothing. */
async function lookAtRuns(sending: Sending, history: History): Promise<void> {
  const before = new Date(Date.now() - settledMs).toISOString();
  const { status, text, sentMs, endedMs } = await ask(sending, `/runs?limit=100&created_before=${before}`);
  if (status !== 200) return;
  const { data } = parseBody<RunSummary & { kind: string }>(text);
  const runs = (data?.items ?? []).filter(({ kind }) => kind === 'ingestion');
  history.sightings.push(...runs.map(({ run_id: runId, state }) => ({ runId, state, sentMs, endedMs })));
}

/** A reader beside the devices: looks at runs and at what devices measured, as clients do that plot it. */
export async function runReader(sending: Sending): Promise<void> {
  const { devices, history, seed, stop } = sending;
  const choices = choicesOf(seed * 1000 + 500);
  while (!stop.aborted) {
    if (choices.isTrue(40)) await lookAtRuns(sending, history);
    const read = choices.isTrue(70) ? readPages : readBuckets;
    await read(sending, choices.oneOf(devices), choices);
    await delay(choices.between(0, pauseMsMax));
  }
}
