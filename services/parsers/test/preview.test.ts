import { errorOf, newProject, operator } from '@weir/kit/testing';
import { describe, expect, test } from 'vitest';
import { configuration, create, startTestParsers } from './test-parsers.js';

const file = Buffer.from('time,h\n2020-01-01T00:00:00Z,1.5\n2020-01-01 00:10,2\n2020-01-01T00:20:00Z,x\n\n,\n');
const saved = (value: string) => ({ $case: 'parserId', value }) as const;
const unsaved = (changes: object = {}) => ({ $case: 'configurationJson', value: configuration(changes) }) as const;

test('a preview tells points, row errors, columns and counts, by a parser or a configuration', async () => {
  await using service = await startTestParsers();
  const { client } = service;
  const projectId = newProject();
  const { id } = await create(client, projectId, 'Tables');
  const asked = { projectId, content: file, fileName: 'dir/A.B.csv', timezone: 'Europe/Berlin' };
  const preview = await client.previewFile({ ...asked, reader: saved(id) });
  expect(preview).toEqual({
    points: [
      {
        line: 2,
        instrumentTimestampUs: 1_577_836_800_000_000,
        instrumentName: 'A.B',
        values: [{ name: 'h', value: 1.5 }],
      },
      {
        line: 3,
        instrumentTimestampUs: 1_577_833_800_000_000,
        instrumentName: 'A.B',
        values: [{ name: 'h', value: 2 }],
      },
    ],
    rowErrors: [
      { line: 4, column: 2, code: 'not_a_number', message: expect.any(String), raw: '2020-01-01T00:20:00Z,x' },
    ],
    columns: [
      { columnNumber: 1, headerName: 'time' },
      { columnNumber: 2, headerName: 'h' },
    ],
    counts: { rows: 3, points: 2, errors: 1, missing: 0, skipped: 2 },
    truncated: false,
  });
  expect(await client.previewFile({ ...asked, reader: unsaved() })).toEqual(preview);
  const utc = await client.previewFile({ ...asked, timezone: '', reader: unsaved() });
  expect(utc.points[1]?.instrumentTimestampUs).toBe(1_577_837_400_000_000);
});

test('what is too much for an answer is left out, and counted', async () => {
  await using service = await startTestParsers({ PREVIEW_BYTES_MAX: '4194304' });
  const rows = Array.from({ length: 100_000 }, (_, i) => `${i},${i % 4 === 3 ? 'x' : i}\n`);
  const preview = await service.client.previewFile({
    projectId: newProject(),
    reader: unsaved({ timestamp: { columns: [{ header_name: 'time' }], input_format: 'unix_s' } }),
    content: Buffer.from(`time,h\n${rows.join('')}`),
    fileName: 'a.csv',
  });
  expect(preview.counts).toMatchObject({ rows: 100_000, points: 75_000, errors: 25_000 });
  expect(preview.truncated).toBe(true);
  expect(preview.points.length).toBeGreaterThan(10_000);
  expect(preview.points.length).toBeLessThan(75_000);
  expect(preview.points.map(({ values }) => values[0]?.value).slice(0, 4)).toEqual([0, 1, 2, 4]);
  expect(preview.rowErrors.length).toBeGreaterThan(1000);
  expect(preview.rowErrors.length).toBeLessThan(25_000);
});

describe('a preview is refused', () => {
  test('for a parser that is not there, and one that is archived', async () => {
    await using service = await startTestParsers();
    const { client } = service;
    const projectId = newProject();
    const { id } = await create(client, projectId, 'Tables');
    const asked = { content: file, fileName: 'a.csv' };
    expect(await errorOf(client.previewFile({ ...asked, projectId: newProject(), reader: saved(id) }))).toBe(
      'not_found',
    );
    expect(await errorOf(client.previewFile({ ...asked, projectId, reader: saved('x') }))).toBe('not_found');
    expect(await errorOf(client.previewFile({ ...asked, projectId }))).toBe('not_found');
    await client.archiveParser({ projectId, parserId: id, actor: operator });
    expect(await errorOf(client.previewFile({ ...asked, projectId, reader: saved(id) }))).toBe(
      'lifecycle_conflict path/parser_id',
    );
    await expect(client.previewFile({ ...asked, projectId, reader: saved(id) })).rejects.toThrow(
      'The parser is archived; restore it before you preview a file by it.',
    );
  });

  test('for whatever cannot be read', async () => {
    await using service = await startTestParsers({ PREVIEW_BYTES_MAX: '1024' });
    const preview = (changes: object, reader: ReturnType<typeof unsaved> = unsaved()) =>
      errorOf(
        service.client.previewFile({ projectId: newProject(), reader, content: file, fileName: 'a.csv', ...changes }),
      );
    expect(await preview({ fileName: '' })).toBe('invalid_request /file_name');
    expect(await preview({ fileName: '' }, unsaved({ instrument: { name_source: 'fixed', name: 'A' } }))).toBe(
      'no error',
    );
    expect(await preview({ fileName: ' ' }, unsaved({ instrument: { name_source: 'base_name' } }))).toBe(
      'invalid_request /file_name',
    );
    expect(await preview({ timezone: 'Mars/North' })).toBe('invalid_request /timezone');
    expect(await preview({ content: Buffer.alloc(1025, 'x') })).toBe('invalid_request /content');
    expect(await preview({ content: Buffer.from('a,b\n1,2\n') })).toBe('invalid_request /content');
    expect(await preview({}, unsaved({ colour: 1 }))).toBe('invalid_request /configuration/colour');
  });
});
