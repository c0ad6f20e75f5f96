import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { newId } from '@weir/kit/ids';
import { parserConfiguration } from '@weir/parser-configuration';
import { type FinishFileRequest, type OpenFile, RunState } from '@weir/proto/ingestion';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { startWithFakes } from './start-with-fakes.js';

const gateway = await startWithFakes({
  FILES_MAX: '3',
  FILE_BYTES_MAX: '1048576',
  REQUEST_TIMEOUT_MS: '2000',
  HEADERS_TIMEOUT_MS: '2000',
});
afterAll(() => gateway[Symbol.asyncDispose]());
const { answers, asked } = gateway.fakes;
const key = gateway.fakes.connectionKey();
const parserId = newId();
const runId = newId();

const configurationJson = JSON.stringify(
  parserConfiguration.parse({
    timestamp: { columns: [{ header_name: 'time' }], input_format: 'iso8601' },
    data_layout: {
      layout: 'one_data_point_per_row',
      variable_mappings: [{ source_column: { header_name: 'h' }, variable_name: 'h' }],
    },
  }),
);
const file: OpenFile = {
  run: {
    runId,
    projectId: gateway.fakes.projectId,
    connectionId: newId(),
    kind: 'file',
    state: RunState.SUCCEEDED,
    attempts: 1,
    createdAtUs: 0,
    variables: [],
    instrumentName: '',
    instrumentTimestampUs: 0,
    fileRunId: '',
    file: {
      parserId,
      parserVersion: 3,
      fileName: 'A.csv',
      siteId: '',
      progress: { bytes: 5, rows: 1, points: 1, errors: 0, missing: 0, skipped: 0 },
      rowErrors: [],
      position: 0,
    },
  },
  isFinished: false,
  configurationJson,
  zones: {},
};

beforeEach(() => {
  answers.clear();
  answers
    .set('getParser', { parser: { id: parserId, version: 3, configurationJson } })
    .set('findFile', {})
    .set('beginFile', { file })
    .set('admitFile', { admitted: true, position: 1, isFinished: false })
    .set('finishFile', { run: file.run });
  asked.length = 0;
});

/** Opens a request with a file; its body is the test's to write. */
function open(headers: Record<string, string> = {}, url = gateway.url): ClientRequest {
  const opened = requestHttp(`${url}/v1/ingest/files?parser_id=${parserId}&file_name=A.csv`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'text/csv', ...headers },
  });
  opened.on('error', () => undefined);
  return opened;
}

async function answerOf(opened: ClientRequest) {
  const [response] = (await once(opened, 'response')) as [IncomingMessage];
  return {
    status: response.statusCode,
    headers: response.headers,
    json: (await json(response)) as ReturnType<typeof JSON.parse>,
  };
}

const methods = (): string[] => asked.map(({ method }) => method);
const endsOf = (calls: typeof asked): FinishFileRequest[] =>
  calls.filter(({ method }) => method === 'finishFile').map(({ request }) => request as FinishFileRequest);
const ends = (): FinishFileRequest[] => endsOf(asked);
/** Enough of a file to tell what it is. */
const rows = `time,h\n2020-01-01T00:00:00Z,1\n${'\n'.repeat(2000)}`;

test('a file may take longer than other requests, and its run is answered', async () => {
  const opened = open();
  for (const part of ['time,h\n', '2020-01-01T00:', '00:00Z,1\n']) {
    opened.write(part);
    await delay(800);
  }
  opened.end();
  const { status, json: answer } = await answerOf(opened);
  expect([status, answer.data.run]).toMatchObject([
    200,
    { run_id: runId, kind: 'file', state: 'succeeded', parser_version: 3, site_id: null, row_errors: [] },
  ]);
  expect(methods()).toEqual(['getParser', 'beginFile', 'admitFile', 'finishFile']);
});

test('one that does not arrive in its time is 408, and its run says so', async () => {
  await using hasty = await startWithFakes({ FILE_TIMEOUT_MS: '1500' });
  for (const [method, answer] of answers) hasty.fakes.answers.set(method, answer);
  const opened = open({ 'x-api-key': hasty.fakes.connectionKey() }, hasty.url);
  opened.write(rows);
  const { status, json: answer } = await answerOf(opened);
  expect([status, answer.error.code]).toEqual([408, 'request_timeout']);
  await expect.poll(() => endsOf(hasty.fakes.asked).length).toBe(1);
  expect(endsOf(hasty.fakes.asked)[0]?.interruption).toBe(answer.error.message);
});

test('one whose client went away is left as it is', async () => {
  const opened = open();
  opened.write(rows);
  await expect.poll(methods).toContain('beginFile');
  opened.destroy();
  await delay(200);
  expect(ends()).toEqual([]);
});

test('no more than so many are read at a time, and half of them of one project', async () => {
  const beside = (): ClientRequest => open({ 'x-api-key': gateway.fakes.connectionKey({ projectId: newId() }) });
  const begun = () => methods().filter((method) => method === 'beginFile').length;
  const refuse = async (one: ClientRequest): Promise<void> => {
    one.end(rows);
    const { status, headers, json: answer } = await answerOf(one);
    expect([status, answer.error.code, headers['retry-after']]).toEqual([429, 'concurrency_limited', '5']);
  };
  const held = [open(), open()];
  for (const one of held) one.write(rows);
  await expect.poll(begun).toBe(2);
  await refuse(open());
  const other = beside();
  other.write(rows);
  await expect.poll(begun).toBe(3);
  await refuse(beside());
  held.push(other);
  for (const one of held) one.end();
  for (const one of held) expect((await answerOf(one)).status).toBe(200);
  const next = open();
  next.end(rows);
  expect((await answerOf(next)).status).toBe(200);
});

test('one that was read before is answered without being asked for', async () => {
  answers.set('findFile', { file: { ...file, isFinished: true } });
  const opened = open({ expect: '100-continue', 'idempotency-key': 'known', 'content-length': '1000000' });
  let isAsked = false;
  opened.once('continue', () => {
    isAsked = true;
  });
  opened.flushHeaders();
  const { status, json: answer } = await answerOf(opened);
  opened.destroy();
  expect([status, answer.data?.run.run_id, isAsked, methods()]).toEqual([200, runId, false, ['findFile']]);
});

test('one that grows too much when it is decompressed is 413', async () => {
  const opened = open({ 'content-encoding': 'gzip' });
  opened.end(gzipSync(Buffer.concat([Buffer.from(rows), Buffer.alloc(300_000, '\n')])));
  const { status, json: answer } = await answerOf(opened);
  expect([status, answer.error.code]).toEqual([413, 'body_too_large']);
  expect(answer.error.message).toContain('200 times');
});

test('one that is cut off within its gzip stream is 400, and its run says so', async () => {
  const opened = open({ 'content-encoding': 'gzip' });
  const many = Buffer.from(`${rows}${Array.from({ length: 20_000 }, (_, i) => `${i}-x,${Math.sin(i)}\n`).join('')}`);
  opened.end(gzipSync(many).subarray(0, 60_000));
  const { status, json: answer } = await answerOf(opened);
  expect([status, answer.error.details]).toMatchObject([400, [{ path: '', code: 'malformed_gzip' }]]);
  expect(ends()[0]?.interruption).toBe(answer.error.message);
});
