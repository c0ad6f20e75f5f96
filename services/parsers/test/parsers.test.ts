import { randomUUID } from 'node:crypto';
import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configuration, create, startTestParsers, type TestParsers } from './test-parsers.js';

let service: TestParsers;
beforeAll(async () => {
  service = await startTestParsers({ PARSER_CONFIGURATION_BYTES_MAX: '10000' });
});
afterAll(() => service[Symbol.asyncDispose]());

describe('create and get', () => {
  test('a parser, filled in', async () => {
    const { client } = service;
    const projectId = newProject();
    const given = { encoding: 'windows-1252', header: { row_number: 3 } };
    const parser = await create(client, projectId, ' Cafe\u0301 ', {
      version: 1,
      configurationJson: configuration(given),
    });
    expect(parser).toMatchObject({
      projectId,
      name: 'Café',
      type: 'csv',
      version: 1,
      revision: 1,
      lifecycle: { state: 'active', archivedAtUs: undefined, archivedBy: undefined },
    });
    expect(parser.updatedAtUs).toBe(parser.createdAtUs);
    const saved = JSON.parse(parser.configurationJson) as object;
    expect(saved).toMatchObject({
      timestamp_order: 'oldest_first',
      delimiter: 'comma',
      header: { present: true, row_number: 3 },
      first_data_row: 4,
      timestamp: { join_with: ' ', ambiguous: 'file_order' },
      encoding: 'windows-1252',
    });
    // this configuration has no text beyond ASCII, and canonical JSON differs in order alone
    expect(parser.canonicalSizeBytes).toBe(JSON.stringify(saved).length);
    expect(await client.getParser({ projectId, parserId: parser.id })).toEqual({ parser });
    const again = await create(client, projectId, 'again', { configurationJson: parser.configurationJson });
    expect(again.configurationJson).toBe(parser.configurationJson);
  });

  test('the members of a configuration come back in one order', async () => {
    const parser = await create(service.client, newProject(), 'A');
    expect(Object.keys(JSON.parse(parser.configurationJson) as object).slice(0, 9)).toEqual([
      'timestamp_order',
      'delimiter',
      'decimal_separator',
      'header',
      'first_data_row',
      'timestamp',
      'instrument',
      'missing_value_markers',
      'data_layout',
    ]);
  });

  test('every fault at once', async () => {
    const request = { projectId: newProject(), name: '', type: 'xml', version: 0, configurationJson: '{"a":1}' };
    expect(await errorOf(service.client.createParser(request))).toBe(
      'invalid_request /name /type /version /configuration/timestamp /configuration/data_layout /configuration/a /actor',
    );
    const markers = Array.from({ length: 50 }, () => 'x'.repeat(250));
    const large = { configurationJson: configuration({ missing_value_markers: markers }) };
    expect(await errorOf(create(service.client, newProject(), 'A', large))).toBe('invalid_request /configuration');
  });

  test('what is not there, or of another project', async () => {
    const { client } = service;
    const projectId = newProject();
    const { id: parserId } = await create(client, projectId, 'A');
    for (const wrong of [
      { projectId: newProject(), parserId },
      { projectId, parserId: randomUUID() },
      { projectId, parserId: 'x' },
      { projectId: 'x', parserId },
    ]) {
      const change = { ...wrong, actor: operator };
      expect(await errorOf(client.getParser(wrong))).toBe('not_found');
      expect(await errorOf(client.updateParser({ ...change, patch: { name: 'B' } }))).toBe('not_found');
      expect(await errorOf(client.archiveParser(change))).toBe('not_found');
      expect(await errorOf(client.restoreParser(change))).toBe('not_found');
    }
    expect(await errorOf(create(client, 'x', 'A'))).toBe('not_found');
  });

  test('names are unique among active parsers of a project, by code point', async () => {
    const { client } = service;
    const projectId = newProject();
    await create(client, projectId, 'Straße');
    expect(await errorOf(create(client, projectId, ' Straße'))).toBe('name_conflict /name');
    await create(client, projectId, 'straße');
    await create(client, newProject(), 'Straße');
  });
});

describe('lifecycle', () => {
  test('archive and restore, each idempotent; an archived parser refuses updates', async () => {
    const { client } = service;
    const projectId = newProject();
    const parser = await create(client, projectId, 'A');
    const key = { projectId, parserId: parser.id };
    const who = { type: 'developer_api_key', id: 'key' };
    const { parser: archived } = await client.archiveParser({ ...key, actor: who });
    expect(archived).toMatchObject({ revision: 2, version: 1, lifecycle: { state: 'archived', archivedBy: who } });
    expect(archived?.lifecycle?.archivedAtUs).toBeGreaterThan(parser.updatedAtUs);
    expect((await client.archiveParser({ ...key, actor: operator })).parser).toEqual(archived);

    expect(await errorOf(client.getParser(key))).toBe('not_found');
    expect((await client.getParser({ ...key, includeArchived: true })).parser).toEqual(archived);
    const update = { ...key, actor: operator, patch: { name: 'B' } };
    expect(await errorOf(client.updateParser(update))).toBe('lifecycle_conflict path/parser_id');

    const { parser: restored } = await client.restoreParser({ ...key, actor: operator });
    expect(restored).toMatchObject({ revision: 3, version: 1, lifecycle: { state: 'active' } });
    expect((await client.restoreParser({ ...key, actor: who })).parser).toEqual(restored);
    expect(await errorOf(client.archiveParser(key))).toBe('invalid_request /actor');
  });

  test('an archived name is free, and a restore into a taken one is refused', async () => {
    const { client } = service;
    const projectId = newProject();
    const { id: parserId } = await create(client, projectId, 'A');
    const change = { projectId, parserId, actor: operator };
    await client.archiveParser(change);
    await create(client, projectId, 'A');
    expect(await errorOf(client.restoreParser(change))).toBe('name_conflict /name');
  });
});

describe('lists', () => {
  test('come in the order of creation, and find names by a part of them', async () => {
    const { client } = service;
    const projectId = newProject();
    for (const name of ['Ölpegel ΟΔΟΣΑ', 'toa5 100%', 'TOA5_x']) await create(client, projectId, name);
    await create(client, newProject(), 'toa5');
    const first = await client.listParsers({ projectId, limit: 2 });
    expect(first.parsers.map(({ name }) => name)).toEqual(['Ölpegel ΟΔΟΣΑ', 'toa5 100%']);
    const { parser } = await client.getParser({ projectId, parserId: first.parsers[0]?.id ?? '' });
    expect(first.parsers[0]).toEqual(parser);
    const second = await client.listParsers({ projectId, limit: 2, after: first.nextAfter });
    expect(second).toMatchObject({ parsers: [{ name: 'TOA5_x' }], nextAfter: '' });
    const find = async (q: string, includeArchived = false) =>
      (await client.listParsers({ projectId, limit: 10, q, includeArchived })).parsers.map(({ name }) => name);
    expect(await find('Toa5')).toEqual(['toa5 100%', 'TOA5_x']);
    for (const q of ['ölp', 'ΟΔΟΣ']) expect(await find(q)).toEqual(['Ölpegel ΟΔΟΣΑ']);
    expect(await find('_')).toEqual(['TOA5_x']);
    await client.archiveParser({ projectId, parserId: first.parsers[1]?.id ?? '', actor: operator });
    expect(await find('toa5')).toEqual(['TOA5_x']);
    expect(await find('toa5', true)).toEqual(['toa5 100%', 'TOA5_x']);
  });

  test('are refused for what is no page', async () => {
    const projectId = newProject();
    expect(await errorOf(service.client.listParsers({ projectId }))).toBe('invalid_request /limit');
    const wrong = { projectId, limit: 10, after: 'x' };
    expect(await errorOf(service.client.listParsers(wrong))).toBe('invalid_request /after');
    expect(await errorOf(service.client.listParsers({ projectId: 'x', limit: 1 }))).toBe('not_found');
  });
});
