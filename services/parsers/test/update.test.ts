import { errorOf, newProject, operator } from '@weir/kit/testing';
import type { ParserPatch } from '@weir/proto/parsers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configuration, create, startTestParsers, type TestParsers } from './test-parsers.js';

let service: TestParsers;
beforeAll(async () => {
  service = await startTestParsers();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A parser, and updates of it. */
async function started(projectId = newProject()) {
  const parser = await create(service.client, projectId, 'A');
  return {
    parser,
    update: async (patch: Partial<ParserPatch>, expectedRevision?: number) =>
      (await service.client.updateParser({ projectId, parserId: parser.id, patch, expectedRevision, actor: operator }))
        .parser,
  };
}

describe('a patch', () => {
  test('of the name keeps the version', async () => {
    const { parser, update } = await started();
    const renamed = await update({ name: ' B ' });
    expect(renamed).toEqual({ ...parser, name: 'B', revision: 2, updatedAtUs: renamed?.updatedAtUs });
    expect(renamed?.updatedAtUs).toBeGreaterThan(parser.updatedAtUs);
  });

  test('of the configuration raises the version, and replaces it whole', async () => {
    const { update } = await started();
    const quoted = await update({ configurationJson: configuration({ quote: 'none', encoding: 'utf-16le' }) });
    expect(quoted).toMatchObject({ name: 'A', version: 2, revision: 2 });
    expect(JSON.parse(quoted?.configurationJson ?? '')).toMatchObject({ quote: 'none', encoding: 'utf-16le' });
    const commented = await update({ name: 'B', configurationJson: configuration({ comment_prefix: '#' }) }, 2);
    expect(commented).toMatchObject({ name: 'B', version: 3, revision: 3 });
    expect(JSON.parse(commented?.configurationJson ?? '')).toMatchObject({ quote: 'double', comment_prefix: '#' });
    expect(commented?.canonicalSizeBytes).toBe(commented?.configurationJson.length);
  });

  test('that changes nothing keeps revision and version', async () => {
    const { parser, update } = await started();
    const { timestamp, ...rest } = JSON.parse(parser.configurationJson) as Record<string, unknown>;
    const same: Partial<ParserPatch>[] = [
      {},
      { name: 'A ' },
      { configurationJson: configuration() },
      { configurationJson: configuration({ header: { row_number: 1 }, encoding: 'utf-8' }) },
      { name: 'A', configurationJson: JSON.stringify({ ...rest, timestamp }, undefined, 2) },
    ];
    for (const patch of same) expect(await update(patch, 1)).toEqual(parser);
  });

  test('with a stale revision is refused; without one it is not', async () => {
    const { update } = await started();
    await update({ name: 'B' }, 1);
    expect(await errorOf(update({ name: 'C' }, 1))).toBe('revision_conflict /expected_revision');
    expect(await errorOf(update({ name: 'C' }, 0))).toBe('revision_conflict /expected_revision');
    expect(await update({ name: 'C' })).toMatchObject({ name: 'C', revision: 3 });
  });

  test('tells every fault at once, and may not take a name', async () => {
    const projectId = newProject();
    const { update } = await started(projectId);
    expect(await errorOf(update({ name: '', configurationJson: '[]' }))).toBe('invalid_request /name /configuration');
    await create(service.client, projectId, 'B');
    expect(await errorOf(update({ name: 'B' }))).toBe('name_conflict /name');
  });
});

test('versions rise one by one, however many patches come at once', async () => {
  const { parser, update } = await started();
  const prefixes = Array.from({ length: 20 }, (_, number) => `#${number}`);
  const changed = await Promise.all(
    prefixes.map((prefix) => update({ configurationJson: configuration({ comment_prefix: prefix }) })),
  );
  const versions = changed.map((each) => each?.version ?? 0).sort((a, b) => a - b);
  expect(versions).toEqual(prefixes.map((_, number) => number + 2));
  const guarded = await Promise.all(
    prefixes.map((prefix) =>
      errorOf(update({ configurationJson: configuration({ comment_prefix: `!${prefix}` }) }, 21)),
    ),
  );
  expect(guarded.filter((error) => error === 'no error')).toHaveLength(1);
  const { parser: last } = await service.client.getParser({ projectId: parser.projectId, parserId: parser.id });
  expect(last).toMatchObject({ version: 22, revision: 22 });
});
