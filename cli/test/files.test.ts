import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { run } from '../src/run.js';
import { fakeGateway, read, refuse } from './fake-gateway.js';
import { weir } from './weir.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-files-'));
  await mkdir(join(folder, 'older'));
  for (const [name, text] of [
    ['b.csv', 'two'],
    ['a.csv', 'one'],
    ['.hidden', 'no'],
    ['older/c.csv', 'three'],
    ['key', ' weir_ing_file\n'],
  ] as const)
    await writeFile(join(folder, name), text);
});
afterAll(() => rm(folder, { recursive: true }));

const parser = ['--parser', '019c13a6-9000-7000-8000-8fbf82e27700'];
const files = () => [join(folder, 'a.csv'), join(folder, 'b.csv')];

test('files and folders are sent in their order, once', async () => {
  await using gateway = await fakeGateway();
  const args = ['files', 'ingest', join(folder, 'b.csv'), folder, ...parser, '--recursive'];
  const { code, stdout, stderr } = await weir(args, gateway.env);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '4 of 4 file(s) were read without an error.\n' });
  expect(gateway.received.map(({ query, text }) => [query.get('file_name'), text])).toEqual([
    ['b.csv', 'two'],
    ['a.csv', 'one'],
    ['key', ' weir_ing_file\n'],
    ['c.csv', 'three'],
  ]);
  expect(stdout.split('\n')[0]).toBe(
    [join(folder, 'b.csv'), 'succeeded', '019c13a1-1200-7000-8000-2c7c11004a00', 2, 2, 0, '-'].join('\t'),
  );
  const [first] = gateway.received;
  expect(first?.query.get('parser_id')).toBe(parser[1]);
  expect(first?.headers).toMatchObject({ 'x-api-key': 'weir_ing_test', 'content-type': 'application/octet-stream' });

  // the same bytes under the same name have the same key: nothing is sent again, but when that is asked for
  await weir(args, gateway.env);
  expect([gateway.received.length, gateway.replays]).toEqual([4, 4]);
  await weir([...args, '--again'], gateway.env);
  await weir([...args, '--site', '019c13a6-9000-7000-8000-8fbf82e27711'], gateway.env);
  expect([gateway.received.length, gateway.replays]).toEqual([12, 4]);
  expect(gateway.received.at(-1)?.query.get('site_id')).toBe('019c13a6-9000-7000-8000-8fbf82e27711');
});

test('a folder without files is said to have none', async () => {
  await using gateway = await fakeGateway();
  const empty = await mkdtemp(join(folder, 'empty-'));
  const args = ['files', 'ingest', empty, ...parser];
  const { code, stdout, stderr } = await weir(args, gateway.env);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(stderr).toBe('There is no file to send: folders stand for those that are in them.\n');
  const asJson = await weir([...args, '--json'], gateway.env);
  expect([JSON.parse(asJson.stdout), asJson.stderr]).toEqual([{ items: [], has_more: false }, '']);
});

test('what the connection or the server broke off is sent again', async () => {
  await using gateway = await fakeGateway();
  gateway.answers.push('break', refuse(503, 'dependency_unavailable'));
  const { code } = await weir(['files', 'ingest', join(folder, 'a.csv'), ...parser, '--gzip'], gateway.env);
  expect([code, gateway.received.map(({ text }) => text)]).toEqual([0, ['one']]);
});

test.each(['soon', 'Sun, 06 Nov 1994 08:49:37 GMT'])(
  'a pause of "%s" is taken for none, and tries keep their own',
  async (retryAfter) => {
    await using gateway = await fakeGateway();
    gateway.answers.push(refuse(503, 'dependency_unavailable', retryAfter));
    const startedMs = performance.now();
    const { code } = await weir(['files', 'ingest', join(folder, 'a.csv'), ...parser], gateway.env);
    expect(code).toBe(0);
    expect(performance.now() - startedMs).toBeGreaterThan(900);
  },
);

test('a bad file does not keep the others, and the exit code tells', async () => {
  await using gateway = await fakeGateway();
  gateway.answers.push(refuse(400, 'invalid_request'), read(7));
  const { code, stdout, stderr } = await weir(['files', 'ingest', ...files(), ...parser], gateway.env);
  expect(code).toBe(3);
  expect(stdout.split('\n').map((line) => line.split('\t').slice(1))).toEqual([
    ['refused', '-', '-', '-', '-', 'invalid_request'],
    ['partially_succeeded', '019c13a1-1200-7000-8000-2c7c11004a00', '2', '2', '7', '-'],
    [],
  ]);
  expect(stderr).toContain(`${folder}/a.csv: It is invalid_request.\n`);
  expect(stderr).toContain(`${folder}/b.csv:2:3: This is no number.\n`);
  expect(stderr).toContain('2 more row(s)');
  expect(stderr).toContain('0 of 2 file(s)');

  gateway.answers.push(read(1));
  const json = await weir(['files', 'ingest', ...files(), ...parser, '--again', '--json'], gateway.env);
  expect([json.code, json.stderr]).toEqual([3, '']);
  expect(JSON.parse(json.stdout).items).toMatchObject([
    { file: files()[0], state: 'partially_succeeded', run: { row_errors: [{ line: 2 }] }, error: null },
    { file: files()[1], state: 'succeeded' },
  ]);
});

describe('what would befall every file ends it', () => {
  test.each([
    [401, 'invalid_credential'],
    [403, 'permission_denied'],
    [404, 'not_found'],
  ])('%i', async (status, code) => {
    await using gateway = await fakeGateway();
    gateway.answers.push(read(), refuse(status, code));
    const ended = await weir(['files', 'ingest', ...files(), ...parser], gateway.env);
    expect([ended.code, ended.stdout.split('\n').length - 1]).toEqual([1, 1]);
    expect(ended.stderr).toContain(`weir: It is ${code}.`);
  });

  test('a path that is not there, before anything is sent', async () => {
    await using gateway = await fakeGateway();
    const ended = await weir(['files', 'ingest', ...files(), join(folder, 'nothing'), ...parser], gateway.env);
    expect([ended.code, gateway.received]).toEqual([1, []]);
  });

  test('a setting that is missing', async () => {
    const { code, stderr } = await weir(['files', 'ingest', folder, ...parser], { WEIR_URL: 'http://127.0.0.1:1' });
    expect([code, stderr]).toEqual([78, expect.stringContaining('WEIR_INGEST_KEY is required')]);
  });
});

test('the key may stand in a file', async () => {
  await using gateway = await fakeGateway();
  const { WEIR_URL } = gateway.env;
  const args = ['files', 'ingest', join(folder, 'a.csv'), ...parser, '--key-file', join(folder, 'key')];
  expect((await weir(args, { WEIR_URL })).code).toBe(0);
  expect(gateway.received[0]?.headers['x-api-key']).toBe('weir_ing_file');
});

test('a terminal is shown how far it is', async () => {
  await using gateway = await fakeGateway();
  let stderr = '';
  await run({
    args: ['files', 'ingest', join(folder, 'a.csv'), ...parser],
    env: gateway.env,
    stdout: { write: () => undefined },
    stderr: { write: (text) => (stderr += text), isTTY: true },
    userName: 'test',
    version: '0',
  });
  expect(stderr).toContain('[........................]   0% 1/1 a.csv');
  expect(stderr.endsWith('\x1b[2K1 of 1 file(s) were read without an error.\n')).toBe(true);
});
