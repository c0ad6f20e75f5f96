import { unavailable, WeirError } from '@weir/kit/errors';
import type { LogfileBatch } from '@weir/logfile';
import { packedCount, unpackPoints } from '@weir/points';
import type { AdmitFileRequest, AdmitFileResponse, FinishFileRequest } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { FileSender, type FilesClient } from './file-sender.js';

type Step = (step: AdmitFileRequest) => Partial<AdmitFileResponse> | Promise<Partial<AdmitFileResponse>>;

const countOf = ({ bodies }: AdmitFileRequest): number => bodies.reduce((sum, body) => sum + packedCount(body), 0);

/** A service that admits whatever it is sent, unless `answer` says otherwise, and a sender to it. */
function openSender(answer: Step = () => ({}), position = 0) {
  const steps: AdmitFileRequest[] = [];
  const ends: FinishFileRequest[] = [];
  const client = {
    admitFile: async (step: AdmitFileRequest) => {
      // what the sender lets go of once it is admitted
      steps.push({ ...step, bodies: step.bodies.map((body) => Buffer.from(body)) });
      return { admitted: true, position: step.position + countOf(step), isFinished: false, ...(await answer(step)) };
    },
    finishFile: async (end: FinishFileRequest) => {
      ends.push(end);
      return { run: undefined };
    },
  } as unknown as FilesClient;
  const sender = new FileSender(client, {
    projectId: 'project',
    connectionId: 'connection',
    provisioning: 'strict',
    traceparent: '',
    requestId: 'request',
    runId: 'run',
    siteId: undefined,
    position,
    zones: { B: 'Europe/Oslo' },
    signal: new AbortController().signal,
  });
  return { sender, steps, ends };
}

/** A batch of points at the seconds from `first` on. */
function batch(first: number, count: number, errors: LogfileBatch['errors'] = []): LogfileBatch {
  const seconds = Array.from({ length: count }, (_, i) => first + i);
  return {
    points: {
      count,
      lines: Float64Array.from(seconds),
      atUs: Float64Array.from(seconds, (second) => second * 1e6),
      instruments: new Uint32Array(count),
      valueStarts: Uint32Array.from({ length: count + 1 }, (_, i) => i),
      variables: new Uint32Array(count),
      values: Float64Array.from(seconds),
      instrumentNames: ['A'],
      variableNames: ['v'],
    },
    errors,
    counts: { rows: first + count, points: first + count, errors: errors.length, missing: 0, skipped: 0 },
    isLast: false,
  };
}

const rowError = (line: number) =>
  ({ line, column: null, columnName: null, code: 'bad_timestamp', message: 'm', raw: 'r' }) as const;

/** The values of the points that steps sent. */
const valuesOf = (steps: readonly AdmitFileRequest[]): number[] =>
  steps.flatMap(({ bodies }) => bodies.flatMap((body) => [...unpackPoints(body).values]));

test('sends each batch at once, and together what comes while a step is under way', async () => {
  const held = Promise.withResolvers<object>();
  const { sender, steps, ends } = openSender((step) => (step.position === 0 ? held.promise : {}));
  await sender.add(batch(0, 2), 10);
  for (const first of [2, 4, 6]) await sender.add(batch(first, 2), 10 + first);
  expect(steps).toHaveLength(1);
  held.resolve({});
  await sender.finish(99);
  expect(steps.map((step) => [step.position, step.bodies.length])).toEqual([
    [0, 1],
    [2, 3],
  ]);
  expect(valuesOf(steps)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(ends).toMatchObject([{ progress: { bytes: 99, points: 8 }, rowErrors: [] }]);
});

test.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'leaves nothing behind that comes %i turns after the last step was admitted',
  async (turns) => {
    const held = Promise.withResolvers<object>();
    const { sender, steps, ends } = openSender((step) => (step.position === 0 ? held.promise : {}));
    await sender.add(batch(0, 2), 10);
    held.resolve({});
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await sender.add(batch(2, 2), 20);
    await sender.finish(20);
    expect(valuesOf(steps)).toEqual([0, 1, 2, 3]);
    expect(ends).toHaveLength(1);
  },
);

test('waits when there is no room for more', async () => {
  const held = Promise.withResolvers<object>();
  const { sender, steps } = openSender((step) => (step.position === 0 ? held.promise : {}));
  await sender.add(batch(0, 1), 0);
  for (let first = 1; first < 8; first++) await sender.add(batch(first, 1), 0);
  let isTaken = false;
  const eighth = sender.add(batch(8, 1), 0).then(() => {
    isTaken = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isTaken).toBe(false);
  held.resolve({});
  await eighth;
  await sender.finish(0);
  expect(valuesOf(steps)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
});

test('leaves out what was admitted before', async () => {
  const { sender, steps } = openSender(undefined, 3);
  for (const first of [0, 2, 4]) await sender.add(batch(first, 2), 0);
  await sender.finish(0);
  expect(steps[0]?.position).toBe(3);
  expect([sender.pinnedZone('B'), sender.pinnedZone('toString')]).toEqual(['Europe/Oslo', undefined]);
  expect(valuesOf(steps)).toEqual([3, 4, 5]);
});

test('leaves out what another request has admitted meanwhile, and says again what was not kept', async () => {
  let isFirst = true;
  const { sender, steps } = openSender(() => {
    if (!isFirst) return {};
    isFirst = false;
    return { admitted: false, position: 4 };
  });
  sender.pinZone('A', 'UTC');
  await sender.add(batch(0, 2, [rowError(7)]), 0);
  for (const first of [2, 4, 6]) await sender.add(batch(first, 2), 0);
  await sender.finish(0);
  expect(steps.map((step) => [step.position, countOf(step), step.zones, step.rowErrors.length])).toEqual([
    [0, 2, { A: 'UTC' }, 1],
    [4, 4, { A: 'UTC' }, 1],
  ]);
});

test('refuses a file whose points do not meet where the other one stands', async () => {
  const { sender } = openSender(() => ({ admitted: false, position: 1 }));
  await sender.add(batch(0, 2), 0);
  await expect(sender.finish(0)).rejects.toMatchObject({
    details: [{ path: 'header/Idempotency-Key', code: 'other_file' }],
  });
});

test('refuses a file that ends before what was admitted under its key', async () => {
  const { sender, ends } = openSender(undefined, 3);
  await sender.add(batch(0, 2), 0);
  await expect(sender.finish(0)).rejects.toMatchObject({ details: [{ code: 'other_file' }] });
  expect(ends).toEqual([]);
});

test('sends nothing more once another request has brought the file to its end', async () => {
  const { sender, steps } = openSender(() => ({ admitted: false, position: 9, isFinished: true }));
  await sender.add(batch(0, 2), 0);
  await sender.finish(0);
  expect([sender.isFinished, steps.length]).toEqual([true, 1]);
});

test('waits for a service that is away, and gives up what is refused', async () => {
  let isAway = true;
  const { sender, steps } = openSender(() => {
    if (!isAway) return {};
    isAway = false;
    throw unavailable('It is away.');
  });
  await sender.add(batch(0, 2), 0);
  await sender.finish(0);
  expect(valuesOf(steps)).toEqual([0, 1, 0, 1]);

  const refusing = openSender(() => {
    throw new WeirError('invalid_request', 'It is wrong.');
  });
  await refusing.sender.add(batch(0, 2), 0);
  await new Promise((resolve) => setImmediate(resolve));
  await expect(refusing.sender.add(batch(2, 2), 0)).rejects.toThrow('It is wrong.');
  await refusing.sender.interrupt(5, 'It is over.');
  expect(refusing.ends).toMatchObject([{ interruption: 'It is over.', progress: { bytes: 5 } }]);
});

test('keeps the first hundred row errors', async () => {
  const { sender, ends } = openSender();
  await sender.add(
    batch(
      0,
      1,
      Array.from({ length: 70 }, (_, line) => rowError(line)),
    ),
    0,
  );
  await sender.add(
    batch(
      1,
      1,
      Array.from({ length: 70 }, (_, line) => rowError(70 + line)),
    ),
    0,
  );
  await sender.finish(0);
  expect(ends[0]?.rowErrors.map(({ line }) => line)).toEqual(Array.from({ length: 100 }, (_, line) => line));
});
