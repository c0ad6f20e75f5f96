import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { unavailable, WeirError } from '@weir/kit/errors';
import { connect } from '@weir/kit/rpc';
import { type AdmitRequest, IngestionServiceDefinition, type Submission } from '@weir/proto/ingestion';
import { describe, expect, test } from 'vitest';
import { Submitter, submitterDefaults } from './submitter.js';

const submission = (requestId: string, bytes = 1): Submission => ({
  projectId: 'p',
  connectionId: 'c',
  idempotencyKey: '',
  provisioning: 'automatic',
  body: Buffer.alloc(bytes),
  traceparent: '',
  requestId,
});
const here = new AbortController().signal;
const admissionOf = ({ requestId }: Submission) => ({
  batchId: requestId,
  count: 1,
  replayed: false,
  states: Buffer.alloc(0),
  untold: '',
});

interface Call {
  readonly ids: readonly string[];
  readonly answer: () => void;
  readonly fail: (error: unknown) => void;
}

/** A service whose calls are answered by hand, in the order they come. */
function manualService() {
  const calls: Call[] = [];
  const wanted: ((call: Call) => void)[] = [];
  const ids: (readonly string[])[] = [];
  const admit = (request: AdmitRequest) =>
    new Promise<{ admissions: ReturnType<typeof admissionOf>[] }>((resolve, reject) => {
      const call = {
        ids: request.submissions.map((each) => each.requestId),
        answer: () => resolve({ admissions: request.submissions.map(admissionOf) }),
        fail: reject,
      };
      ids.push(call.ids);
      const want = wanted.shift();
      if (want === undefined) calls.push(call);
      else want(call);
    });
  const nextCall = (): Promise<Call> => {
    const call = calls.shift();
    return call === undefined ? new Promise((resolve) => wanted.push(resolve)) : Promise.resolve(call);
  };
  return { admit, ids, nextCall };
}

describe('Submitter', () => {
  test('sends at once while a lane is free, and then whatever waits together', async () => {
    const { admit, ids, nextCall } = manualService();
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 2, furtherLane: { bytes: 1, afterMs: 1e6 } });
    const answers = ['a', 'b', 'c', 'd', 'e'].map((id) => submitter.submit(submission(id), here));
    expect(ids).toEqual([['a'], ['b']]);
    const first = await nextCall();
    (await nextCall()).answer();
    (await nextCall()).answer();
    first.answer();
    expect(ids).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
    expect((await Promise.all(answers)).map((admission) => admission.batchId)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('what cannot be told of one submission fails that one alone', async () => {
    const submitter = new Submitter(async ({ submissions }) => {
      const admissions = submissions.map(admissionOf);
      return { admissions: admissions.map((each) => (each.batchId === 'b' ? { ...each, untold: 'Again.' } : each)) };
    }, submitterDefaults);
    const answers = await Promise.allSettled(['a', 'b', 'c'].map((id) => submitter.submit(submission(id), here)));
    expect(answers).toMatchObject([
      { value: { batchId: 'a' } },
      { reason: { code: 'dependency_unavailable', message: 'Again.' } },
      { value: { batchId: 'c' } },
    ]);
  });

  test('small ones wait for the call in flight, and go beside it when they are enough', async () => {
    const { admit, ids, nextCall } = manualService();
    const furtherLane = { bytes: 3, afterMs: 1e6 };
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 2, furtherLane });
    const answers = ['a', 'b', 'c'].map((id) => submitter.submit(submission(id), here));
    expect(ids).toEqual([['a']]);
    answers.push(submitter.submit(submission('d'), here));
    expect(ids).toEqual([['a'], ['b', 'c', 'd']]);
    answers.push(submitter.submit(submission('e'), here));
    const first = await nextCall();
    const second = await nextCall();
    second.answer();
    await answers[1];
    expect(ids).toHaveLength(2);
    first.answer();
    (await nextCall()).answer();
    await Promise.all(answers);
    expect(ids).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
  });

  test('nothing waits for a call that takes long', async () => {
    const { admit, ids, nextCall } = manualService();
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 2, furtherLane: { bytes: 10, afterMs: 1 } });
    const slow = submitter.submit(submission('slow'), here);
    const first = await nextCall();
    const small = submitter.submit(submission('small'), here);
    (await nextCall()).answer();
    await small;
    first.answer();
    await slow;
    expect(ids).toEqual([['slow'], ['small']]);
  });

  test('bounds a batch by count and by bytes; what is larger goes alone', async () => {
    const { admit, ids, nextCall } = manualService();
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 1, batchMax: 2, batchBytesMax: 10 });
    const sizes = [1, 1, 1, 1, 6, 6, 50, 1];
    const answers = sizes.map((size, i) => submitter.submit(submission(String(i), size), here));
    for (let i = 0; i < 6; i++) (await nextCall()).answer();
    await Promise.all(answers);
    expect(ids).toEqual([['0'], ['1', '2'], ['3', '4'], ['5'], ['6'], ['7']]);
  });

  test('refuses what has waited too long, and sends it to nobody', async () => {
    const { admit, ids, nextCall } = manualService();
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 1, waitingMsMax: 10 });
    const first = submitter.submit(submission('a'), here);
    const late = submitter.submit(submission('b'), here);
    await delay(20);
    (await nextCall()).answer();
    await first;
    await expect(late).rejects.toMatchObject({ code: 'dependency_unavailable' });
    const next = submitter.submit(submission('c'), here);
    (await nextCall()).answer();
    await next;
    expect(ids).toEqual([['a'], ['c']]);
  });

  test('refuses what would wait in a full queue', async () => {
    const { admit, nextCall } = manualService();
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 1, waitingMax: 1, waitingBytesMax: 10 });
    const sent = submitter.submit(submission('sent'), here);
    await expect(submitter.submit(submission('bytes', 11), here)).rejects.toMatchObject({
      code: 'dependency_unavailable',
    });
    const waiting = submitter.submit(submission('waiting'), here);
    await expect(submitter.submit(submission('count'), here)).rejects.toMatchObject({
      code: 'dependency_unavailable',
      retryAfterSeconds: 1,
    });
    (await nextCall()).answer();
    await sent;
    (await nextCall()).answer();
    await waiting;
  });

  test('does not send for a caller that has gone', async () => {
    const { admit, ids, nextCall } = manualService();
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 1 });
    const first = submitter.submit(submission('first'), here);
    const gone = new AbortController();
    const aborted = submitter.submit(submission('gone'), gone.signal);
    gone.abort();
    (await nextCall()).answer();
    await first;
    await expect(aborted).rejects.toMatchObject({ code: 'dependency_unavailable' });
    const last = submitter.submit(submission('last'), here);
    (await nextCall()).answer();
    await last;
    expect(ids).toEqual([['first'], ['last']]);
  });

  test('a failure is that of all who shared the call, and the lane goes on', async () => {
    const { admit, nextCall } = manualService();
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 1 });
    const first = submitter.submit(submission('first'), here);
    const shared = [submitter.submit(submission('a'), here), submitter.submit(submission('b'), here)];
    (await nextCall()).answer();
    await first;
    (await nextCall()).fail(unavailable('down'));
    for (const each of shared) await expect(each).rejects.toMatchObject({ code: 'dependency_unavailable' });
    const last = submitter.submit(submission('last'), here);
    (await nextCall()).answer();
    await last;
  });

  test('a refusal is told to the one that it is meant for', async () => {
    const admit = ({ submissions }: AdmitRequest) =>
      submissions.some((each) => each.requestId === 'bad')
        ? Promise.reject(new WeirError('invalid_request', 'bad'))
        : Promise.resolve({ admissions: submissions.map(admissionOf) });
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 1 });
    const results = await Promise.allSettled(
      ['first', 'good', 'bad', 'fine'].map((id) => submitter.submit(submission(id), here)),
    );
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
  });

  test('what a call was lost with is sent again once, if it has a key', async () => {
    // nobody is there
    using client = connect(IngestionServiceDefinition, '127.0.0.1:1');
    const lost: unknown = await client.admit({}).catch((error: unknown) => error);
    const { admit, ids, nextCall } = manualService();
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 1 });
    const submit = (id: string, idempotencyKey: string) =>
      submitter.submit({ ...submission(id), idempotencyKey }, here);
    const first = submit('first', '');
    const bare = submit('bare', '');
    const keyed = submit('keyed', 'key');
    const beside = submit('beside', 'other');
    (await nextCall()).answer();
    await first;
    (await nextCall()).fail(lost);
    await expect(bare).rejects.toBe(lost);
    (await nextCall()).answer();
    expect((await keyed).batchId).toBe('keyed');
    await beside;
    expect(ids).toEqual([['first'], ['bare', 'keyed', 'beside'], ['keyed', 'beside']]);

    const twice = submit('twice', 'key');
    (await nextCall()).fail(lost);
    (await nextCall()).fail(lost);
    await expect(twice).rejects.toBe(lost);
    // the service itself says that it cannot
    const told = submit('told', 'key');
    (await nextCall()).fail(unavailable('The database does not answer.'));
    await expect(told).rejects.toThrow('database');
    expect(ids.slice(3)).toEqual([['twice'], ['twice'], ['told']]);
  });

  test("a call runs in the context of its batch's first submission", async () => {
    const storage = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const admit = async ({ submissions }: AdmitRequest) => {
      seen.push(storage.getStore());
      return { admissions: submissions.map(admissionOf) };
    };
    const submitter = new Submitter(admit, { ...submitterDefaults, lanes: 1 });
    const submit = (id: string) => storage.run(id, () => submitter.submit(submission(id), here));
    await Promise.all([submit('a'), submit('b'), submit('c')]);
    expect(seen).toEqual(['a', 'b']);
  });
});
