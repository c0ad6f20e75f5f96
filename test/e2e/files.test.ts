import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { apiOf } from '../harness/api.js';
import { type FieldFile, type FileCall, fieldFiles, levels, levelsConfiguration, sendFile } from '../harness/files.js';
import { projectApiOf } from '../harness/project-api.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

type Json = ReturnType<typeof JSON.parse>;

let stack: TestStack;
beforeAll(async () => {
  stack = await openTestStack({
    envOf: { gateway: { FILE_BYTES_MAX: '4194304' }, ingestion: { FILE_LEASE_MS: '2000' } },
  });
});
afterAll(() => stack?.[Symbol.asyncDispose]());

/** A tenant with a parser, and its API. */
async function newTenant(configuration: Json = levelsConfiguration) {
  const tenant = await createTenant(stack.addresses.access);
  const project = projectApiOf(stack.gatewayUrl, tenant);
  const parser = await project.done('POST', '/parsers', { name: 'Parser', configuration });
  const send = (body: Parameters<typeof sendFile>[2], call: Partial<FileCall> = {}) =>
    sendFile(stack.gatewayUrl, tenant, body, { parserId: parser.id, fileName: 'A.csv', ...call });
  return { tenant, project, parserId: parser.id as string, send };
}

/** Every observation of a project, as `instrument variable instant` with its value. */
async function observationsOf(tenant: Tenant): Promise<Map<string, number>> {
  const project = projectApiOf(stack.gatewayUrl, tenant);
  const found = new Map<string, number>();
  const instruments = await project.done('GET', '/instruments?limit=100');
  const variables = await project.done('GET', '/variables?limit=100');
  if (variables.items.length === 0) return found;
  const instrumentNames = new Map<string, string>(instruments.items.map(({ id, name }: Json) => [id, name]));
  const names = new Map<string, string>(
    variables.items.map(({ id, name, instrument_id }: Json) => [id, `${instrumentNames.get(instrument_id)} ${name}`]),
  );
  const path = `/observations?variable_id=${[...names.keys()].join()}&limit=10000`;
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Json = await project.done('GET', `${path}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    for (const { variable_id, timestamps, values } of page.items)
      for (const [i, at] of timestamps.entries()) found.set(`${names.get(variable_id)} ${at}`, values[i]);
    cursor = page.next_cursor;
  }
  return found;
}

/** The points of a preview by the same keys. */
function pointsOf(preview: Json): Map<string, number> {
  const points = new Map<string, number>();
  for (const { instrument_name, instrument_timestamp, ingested_variables } of preview.points)
    for (const { name, value } of ingested_variables)
      points.set(`${instrument_name} ${name} ${instrument_timestamp}`, value);
  return points;
}

/** Previews and ingests a file; answers both, with what tells its observations. */
async function previewAndIngest({ uploadName, siteTimezone, configuration, bytes }: FieldFile) {
  const { tenant, project, parserId, send } = await newTenant(configuration);
  const isUtc = siteTimezone === 'UTC';
  const siteId = isUtc
    ? undefined
    : (await project.done('POST', '/sites', { name: 'Site', timezone: siteTimezone })).id;
  const file = { content_base64: bytes.toString('base64'), file_name: uploadName, timezone: siteTimezone };
  const preview = await project.call('POST', `/parsers/${parserId}/preview`, file);
  expect(await project.call('POST', '/parsers/preview', { ...file, configuration })).toEqual(preview);
  const { status, run, error } = await send(bytes, { fileName: uploadName, siteId });
  if (preview.status !== 200) {
    expect([status, error.message]).toEqual([400, (preview.error as Json).message]);
    expect((await project.done('GET', '/runs')).items).toEqual([]);
    return { tenant, points: new Map<string, number>() };
  }
  const { counts, row_errors } = preview.data;
  expect(run).toMatchObject({ kind: 'file', counts, row_errors, file_name: uploadName, site_id: siteId ?? null });
  expect(run.progress).toEqual({ bytes_read: bytes.length, bytes_total: bytes.length, points_admitted: counts.points });
  return { tenant, points: pointsOf(preview.data) };
}

test('a preview and an ingestion of the same bytes of a real logger give the same points', async () => {
  const files = await fieldFiles();
  expect(files.length).toBeGreaterThan(30);
  const read = new Map<string, Awaited<ReturnType<typeof previewAndIngest>>>();
  const sendNext = async (): Promise<void> => {
    for (let file = files.shift(); file !== undefined; file = files.shift())
      read.set(file.name, await previewAndIngest(file));
  };
  await Promise.all([1, 2, 3, 4].map(sendNext));
  await stack.drained();
  await Promise.all(
    [...read].map(async ([name, { tenant, points }]) => expect(await observationsOf(tenant), name).toEqual(points)),
  );
});

describe('a file', () => {
  test('with 3 bad rows of 100,000 gives 99,997 points and 3 errors that name line and column', async () => {
    const { tenant, project, send } = await newTenant();
    const bad = new Set([0, 54_321, 99_999]);
    const body = [...levels(100_000, bad)].join('');
    const { status, run } = await send(gzipSync(body), { headers: { 'content-encoding': 'gzip' } });
    expect(status).toBe(200);
    expect(run).toMatchObject({
      state: 'partially_succeeded',
      counts: { rows: 100_000, points: 99_997, errors: 3 },
      progress: { bytes_read: body.length, bytes_total: null, points_admitted: 99_997 },
    });
    expect(run.row_errors.map(({ line, column, code }: Json) => [line, column, code])).toEqual(
      [...bad].map((row) => [row + 2, 2, 'not_a_number']),
    );
    await stack.drained();
    expect((await observationsOf(tenant)).size).toBe(99_997);
    const read = await project.done('GET', `/runs/${run.run_id}`);
    expect(read).toEqual(run);
    const { items } = await project.done('GET', '/runs?kind=file');
    expect(items).toEqual([{ ...run, row_errors: undefined }].map((item) => JSON.parse(JSON.stringify(item))));
    const [point] = (await project.done('GET', '/runs?limit=1&kind=ingestion')).items;
    expect(await project.done('GET', `/runs/${point.run_id}`)).toMatchObject({
      kind: 'ingestion',
      file_run_id: run.run_id,
    });
  });

  test('that broke off half-way is gone on with when it is sent again, and replayed once it was read', async () => {
    const { tenant, project, parserId, send } = await newTenant();
    const rows = 12_000;
    const body = [...levels(rows)].join('');
    const half = body.slice(0, body.length / 2);
    const abort = new AbortController();
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(Buffer.from(half));
      },
    });
    const key = { idempotencyKey: 'file-1' };
    const sending = send(broken, { ...key, signal: abort.signal }).catch((error: unknown) => error);
    const api = apiOf(stack.gatewayUrl, tenant);
    const listed = async (): Promise<Json> =>
      (await api.request<Json>('GET', '/v1/ingest/runs?kind=file')).body.data.items[0];
    await expect
      .poll(async () => (await listed())?.progress.points_admitted, { timeout: 20_000 })
      .toBeGreaterThan(1000);
    const { run_id } = await listed();
    abort.abort();
    await sending;
    await expect.poll(async () => (await listed()).state, { timeout: 10_000 }).toBe('failed');
    expect((await listed()).error.code).toBe('file_interrupted');

    // what the file was begun with holds to its end
    await project.done('PATCH', `/parsers/${parserId}`, {
      configuration: { ...levelsConfiguration, timestamp: { ...levelsConfiguration.timestamp, timezone: '+05:00' } },
    });
    const again = await send(body, key);
    expect(again.run).toMatchObject({
      run_id,
      state: 'succeeded',
      attempts: 2,
      parser_version: 1,
      counts: { rows, points: rows, errors: 0 },
      progress: { points_admitted: rows },
    });
    expect((await send(body, key)).run).toEqual(again.run);
    expect((await send(body, { ...key, fileName: 'B.csv' })).error.details[0].path).toBe('header/Idempotency-Key');
    await stack.drained();
    expect((await observationsOf(tenant)).size).toBe(rows);
    const points = await project.done('GET', '/runs?kind=ingestion&limit=1');
    expect(points.items[0].state).toBe('succeeded');
    expect(await runsOf(tenant)).toBe(rows);
  });

  test('is read in the zone of its site, or of its instrument by name, else in UTC', async () => {
    const local = {
      ...levelsConfiguration,
      timestamp: { columns: [{ header_name: 'time' }], input_format: 'yyyy-MM-dd HH:mm' },
      instrument: { name_source: 'column', name_column: { header_name: 'logger' } },
    };
    const { tenant, project, send } = await newTenant(local);
    const lima = await project.done('POST', '/sites', { name: 'Lima', timezone: 'America/Lima' });
    const oslo = await project.done('POST', '/sites', { name: 'Oslo', timezone: 'Europe/Oslo' });
    await project.done('POST', '/instruments', { name: 'known', site_id: lima.id });
    const body = 'time,logger,level\n2020-01-01 12:00,known,1\n2020-01-01 12:00,new,2\n';
    expect((await send(body)).run.state).toBe('succeeded');
    expect((await send(body, { siteId: oslo.id })).run.site_id).toBe(oslo.id);
    await stack.drained();
    expect([...(await observationsOf(tenant)).keys()].sort()).toEqual([
      'known level 2020-01-01T11:00:00.000Z',
      'known level 2020-01-01T17:00:00.000Z',
      'new level 2020-01-01T11:00:00.000Z',
      'new level 2020-01-01T12:00:00.000Z',
    ]);
  });

  test.each<[string, string | Buffer, Partial<FileCall>, number, string]>([
    ['an unknown parser', 'time,level\n', { parserId: '01920000-0000-7000-8000-000000000000' }, 404, 'not_found'],
    ['a parser id that is none', 'time,level\n', { parserId: 'x' }, 404, 'not_found'],
    [
      'an unknown site',
      'time,level\n',
      { siteId: '01920000-0000-7000-8000-000000000000' },
      400,
      'query/site_id site_not_found',
    ],
    ['a site id that is none', 'time,level\n', { siteId: 'x' }, 400, 'query/site_id site_not_found'],
    ['columns that are not there', 'a,b\n1,2\n', {}, 400, ' column_not_found'],
    ['nothing in it', '', {}, 400, ' header_not_found'],
    ['another media type', 'time,level\n', { headers: { 'content-type': 'application/json' } }, 415, ''],
    ['another charset', 'time,level\n', { headers: { 'content-type': 'text/csv; charset=latin1' } }, 415, ''],
    ['another encoding', 'time,level\n', { headers: { 'content-encoding': 'br' } }, 415, ''],
    [
      'half a gzip stream',
      gzipSync('time,level\n').subarray(0, 20),
      { headers: { 'content-encoding': 'gzip' } },
      400,
      ' malformed_gzip',
    ],
    ['more bytes than it may have', Buffer.alloc(4_194_305, 'x'), {}, 413, ''],
  ])('with %s leaves no run', async (_, body, call, status, fault) => {
    const { project, send } = await newTenant();
    const { error, ...answer } = await send(body, call);
    expect([answer.status, error.details.map(({ path, code }: Json) => `${path} ${code}`).join()]).toEqual([
      status,
      status === 404 ? '' : fault,
    ]);
    expect((await project.done('GET', '/runs')).items).toEqual([]);
  });

  test('at an archived site is told so', async () => {
    const { project, send } = await newTenant();
    const site = await project.done('POST', '/sites', { name: 'Gone' });
    await project.done('POST', `/sites/${site.id}/archive`);
    const { status, error } = await send('time,level\n', { siteId: site.id });
    expect([status, error.details[0]]).toEqual([
      400,
      { path: 'query/site_id', code: 'site_archived', message: expect.stringContaining('restore it') },
    ]);
    expect((await project.done('GET', '/runs')).items).toEqual([]);
  });

  test('whose name cannot be that of its instrument is told so, and a preview where the file came in', async () => {
    const { project, send } = await newTenant();
    expect((await send('time,level\n', { fileName: ' ' })).error.details[0]?.path).toBe('query/file_name');
    const asked = { configuration: levelsConfiguration, file_name: 'A.csv' };
    const pathOf = async (file: Json) =>
      (await project.call('POST', '/parsers/preview', { ...asked, ...file })).error?.details.map(({ path }) => path);
    expect(await pathOf({ content: 'a,b\n' })).toEqual(['/content']);
    expect(await pathOf({ content_base64: Buffer.from('a,b\n').toString('base64') })).toEqual(['/content_base64']);
    expect(await pathOf({ content: 'time,level\n', file_name: ' ' })).toEqual(['/file_name']);
  });

  test('by an archived parser is 404', async () => {
    const { project, parserId, send } = await newTenant();
    await project.done('POST', `/parsers/${parserId}/archive`);
    expect((await send('time,level\n')).status).toBe(404);
  });

  test('that grows beyond its limit while it is sent says why it ended', async () => {
    const { project, send } = await newTenant();
    const body = gzipSync([...levels(130_000)].join(''));
    const { status, error } = await send(body, { headers: { 'content-encoding': 'gzip' }, idempotencyKey: 'big' });
    expect([status, error.code]).toEqual([413, 'body_too_large']);
    const [run] = (await project.done('GET', '/runs?kind=file')).items;
    expect(run).toMatchObject({ state: 'failed', error: { code: 'file_interrupted', message: error.message } });
  });

  test('of which no row can be read has failed, and one without rows has not', async () => {
    const { send } = await newTenant();
    const none = await send('time,level\n2020-01-01T00:00:00Z,x\n');
    expect(none.run).toMatchObject({ state: 'failed', error: { code: 'file_unreadable' }, counts: { errors: 1 } });
    expect((await send('time,level\n')).run).toMatchObject({ state: 'succeeded', counts: { rows: 0 }, row_errors: [] });
  });

  test('is a new one each time without a key', async () => {
    const { send } = await newTenant();
    const body = 'time,level\n2020-01-01T00:00:00Z,1\n';
    const [one, two] = [await send(body), await send(body)];
    expect(one.run.run_id).not.toBe(two.run.run_id);
  });

  test('that two requests send at once is one', async () => {
    const { tenant, send } = await newTenant();
    const body = [...levels(5000)].join('');
    const answers = await Promise.all([1, 2, 3].map(() => send(body, { idempotencyKey: 'same' })));
    expect(new Set(answers.map(({ run }) => `${run.run_id} ${run.state}`)).size).toBe(1);
    await stack.drained();
    expect(await runsOf(tenant)).toBe(5000);
  });
});

/** How many runs of points a tenant has. */
async function runsOf(tenant: Tenant): Promise<number> {
  const project = projectApiOf(stack.gatewayUrl, tenant);
  let runs = 0;
  let cursor = '';
  do {
    const page = await project.done('GET', `/runs?kind=ingestion&limit=100${cursor}`);
    runs += page.items.length;
    cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
  } while (cursor !== '');
  return runs;
}
