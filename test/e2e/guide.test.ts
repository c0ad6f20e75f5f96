import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../harness/checkout.js';
import { outputsOf, scriptOf, shellBlocks } from '../harness/shell-blocks.js';
import { openTestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';

/** Runs a script with bash in a folder of its own. */
async function runInFolder(script: string, env: Readonly<Record<string, string | undefined>>) {
  const cwd = await mkdtemp(join(tmpdir(), 'weir-guide-'));
  try {
    return await new Promise<{ error: Error | null; stdout: string; stderr: string }>((resolve) => {
      // told not to, or else it reads the settings of whoever runs this
      execFile('bash', ['--norc', '-c', script], { cwd, env, timeout: 90_000 }, (error, stdout, stderr) =>
        resolve({ error, stdout, stderr }),
      );
    });
  } finally {
    await rm(cwd, { recursive: true });
  }
}

/** The blocks of a page for clients. */
async function blocksOf(name: string): Promise<string[]> {
  return shellBlocks(await readFile(join(root, 'docs/clients', name), 'utf8'));
}

/** Runs all commands of a page for clients, against a stack and a project of their own. */
async function runPage(name: string) {
  await using stack = await openTestStack();
  const tenant = await createTenant(stack.addresses.access);
  const blocks = await blocksOf(name);
  const { error, stdout, stderr } = await runInFolder(scriptOf(blocks), {
    PATH: process.env['PATH'],
    WEIR_URL: stack.gatewayUrl,
    WEIR_PROJECT_ID: tenant.projectId,
    WEIR_API_KEY: tenant.developerKey,
    WEIR_INGEST_KEY: tenant.ingestionKey,
  });
  expect({ error, stderr }).toEqual({ error: null, stderr: '' });
  const outputs = outputsOf(stdout);
  expect(outputs).toHaveLength(blocks.length);
  /** What the block printed that has a part. */
  const outputOf = (part: string): string => outputs[blocks.findIndex((block) => block.includes(part))] ?? '';
  return { tenant, outputOf };
}

test('every command of the guide for clients does what the guide says', async () => {
  const { tenant, outputOf } = await runPage('guide.md');
  const answersOf = (part: string): ReturnType<typeof JSON.parse>[] => {
    return outputOf(part)
      .trim()
      .split(/\n|(?<=\})(?=\{"request_id")/)
      .map((line) => JSON.parse(line));
  };

  expect(answersOf('/permissions')).toMatchObject([{ data: { project_id: tenant.projectId } }]);
  const [variable] = answersOf('api "/variables/$variable"\n');
  expect(variable.data).toMatchObject({ name: 'Water level', unit: 'm', expected_cadence_s: 600 });
  expect(answersOf('sent=$(send')).toMatchObject([{ data: { replayed: false, runs: [{}, {}, {}] } }]);
  expect(answersOf('send gauge-12-first  ')).toMatchObject([{ data: { replayed: true } }]);
  expect(answersOf('runOf "$run"\n')).toMatchObject([{ data: { state: 'succeeded' } }]);
  expect(answersOf('/parsers/preview')).toMatchObject([
    {
      data: {
        points: [
          { line: 5, instrument_name: 'Logger 7', instrument_timestamp: '2026-01-31T11:00:00.000Z' },
          { line: 6, ingested_variables: [{ name: 'Battery', value: 12.6 }] },
        ],
        row_errors: [{ line: 7, code: 'too_many_cells' }],
        counts: { rows: 3, points: 2, errors: 1, missing: 1, skipped: 0 },
      },
    },
  ]);
  const [file] = answersOf('file=$(sendFile');
  expect(file.data.run).toMatchObject({
    state: 'partially_succeeded',
    counts: { points: 2 },
    row_errors: [{ line: 7 }],
  });
  expect(answersOf('kind=file')).toMatchObject([{ data: file.data.run }, { data: { items: [{ kind: 'file' }] } }]);
  expect(answersOf('sendFile logger-7-january  ')).toMatchObject([{ data: file.data }]);
  expect(answersOf('cat observations.json')).toMatchObject([
    {
      data: {
        items: [
          {
            variable_id: variable.data.id,
            timestamps: ['2026-01-31T12:00:00.000Z', '2026-01-31T12:10:00.000Z', '2026-01-31T12:20:00.000Z'],
            values: [1.532, 1.528, 1.541],
          },
        ],
      },
    },
  ]);
  expect(answersOf('interval=P1D')).toMatchObject([
    {
      data: {
        interval: 'P1D',
        items: [
          {
            timestamps: ['2026-01-30T23:00:00.000Z', '2026-01-31T23:00:00.000Z'],
            complete: [true, true],
            max: [1.541, null],
            max_at: ['2026-01-31T12:20:00.000Z', null],
            count: [3, 0],
          },
        ],
      },
    },
  ]);
  expect(answersOf('interval=auto')).toMatchObject([
    {
      data: {
        interval: 'PT12H',
        // nothing came after that
        items: [
          {
            timestamps: ['2026-01-31T12:00:00.000Z', '2026-02-01T00:00:00.000Z'],
            max: [1.541, null],
            gap: [true, true],
          },
        ],
      },
    },
  ]);
  expect(answersOf('/observations/latest')).toMatchObject([{ data: { items: [{ value: 1.541 }] } }]);
  const exported = outputOf('/observations/export')?.trim().split(/\r?\n/);
  expect(exported?.slice(0, 2)).toEqual([
    'timestamp,variable_id,variable_name,unit,value',
    `2026-01-31T12:00:00.000Z,${variable.data.id},Water level,m,1.532`,
  ]);
  expect(exported?.slice(4).map((line) => JSON.parse(line).value)).toEqual([1.541, 1.528, 1.532]);
  expect(answersOf('changed_since=$mark')).toMatchObject([
    {
      data: {
        items: [
          {
            changed_ranges: [{ start: '2026-01-31T12:10:00.000Z', end: '2026-01-31T12:10:00.000001Z' }],
            values: [1.529],
          },
        ],
      },
    },
  ]);
  expect(outputOf('cat chart.svg')).toContain('points="0,138 300,200 600,0"');
  expect(answersOf('dashboard=$(')).toMatchObject([{ data: { revision: 1, widget_count: 1, widgets: [{}] } }]);
  expect(answersOf('below the bridge')).toMatchObject([{ data: { dashboard: { revision: 2 } } }]);
  expect(answersOf('Too late')).toMatchObject([{ error: { code: 'revision_conflict' } }]);
  const [archived, list, restored] = answersOf('/archive"');
  expect(archived.data.lifecycle_state).toBe('archived');
  expect(list.data.items).toHaveLength(1);
  expect(restored.data.lifecycle_state).toBe('active');
  expect(answersOf('cursor=\n')).toMatchObject([{ data: { items: [{}], next_cursor: null } }]);
  const [refused] = answersOf('"colour"');
  expect(refused.error.details.map((detail: { path: string }) => detail.path).sort()).toEqual([
    '/colour',
    '/latitude',
    '/name',
  ]);
});

test('every command of the page on calculated variables does what the page says', async () => {
  const { outputOf } = await runPage('calculations.md');
  expect(outputOf('send() {').trim()).toBe('[12,0,12]');
  const [run = '', values] = outputOf('values "$discharge"       # [12,0,0]')
    .trim()
    .split(/\n|(?<=\})(?=\[)/);
  expect(JSON.parse(run).data).toMatchObject({
    kind: 'recalculation',
    state: 'succeeded',
    cause: { kind: 'calibration_constant' },
    progress: { ranges: { total: 1, done: 1, skipped: 0 }, instants: { total: 1, done: 1 }, missing: {} },
  });
  expect(values).toBe('[12,0,0]');
  expect(outputOf('curve() {').trim()).toBe('[12,0,0,9,30]');
  expect(outputOf('barometer=').trim().split('\n')).toEqual(['[2,4]', '[0,1]']);
  const { error } = JSON.parse(outputOf("'levl * mean(level)"));
  expect(error.details).toMatchObject([
    { path: '/calculations/0/expression', code: 'unknown_name' },
    { path: '/calculations/0/expression', code: 'no_window' },
    { path: '/calculations/0/expression', code: 'wrong_arity' },
  ]);
});

test('an error is shown by what takes a member out of an answer, and nothing waits for ever', async () => {
  const answers = new Map([
    ['/v1/ingest', '{"data":{"runs":[{"run_id":"id"}]}}'],
    ['/dev-api/v1/p/project/runs/id', '{"data":{"state":"failed"}}'],
  ]);
  const gateway = createServer((req, res) => {
    res.end(answers.get(req.url ?? '') ?? '{"error":{"code":"name_conflict"}}');
  });
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
  const refused = 'no data.id: {"error":{"code":"name_conflict"}}';
  const env = {
    PATH: process.env['PATH'],
    WEIR_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
    WEIR_PROJECT_ID: 'project',
    WEIR_API_KEY: 'key',
    WEIR_INGEST_KEY: 'key',
    ...{ instrument: 'id', discharge: 'id' },
  };
  /** A block of a page and the functions that the page begins with, typed at a shell or in a script that ends where one fails. */
  const typed = async (page: string, part: string, before = '') => {
    const blocks = await blocksOf(page);
    const [functions = ''] = blocks.filter((block) => block.startsWith('api()'));
    const block = blocks.find((each) => each.includes(part)) ?? '';
    return await runInFolder(`${before}\n${functions}\n${block}`, env);
  };
  try {
    const site = await typed('guide.md', 'site=$(', 'set -euo pipefail');
    expect(site).toMatchObject({ error: { code: 1 }, stderr: `${refused}\n`, stdout: '' });
    const pages = await typed('guide.md', 'cursor=\n');
    expect(pages).toMatchObject({
      error: { code: 1 },
      stderr: expect.stringContaining('no data.next_cursor: {"error'),
    });
    const values = await typed('calculations.md', 'until_values() {');
    expect(values).toMatchObject({ error: { code: 1 }, stdout: '' });
    expect(values.stderr).toMatch(/^\{"data":\{"state":"failed"\}\}no data\.items: \{"error/);
  } finally {
    gateway.close();
  }
});
