import { randomUUID } from 'node:crypto';
import { operator } from '@weir/kit/testing';
import type { Lifecycle } from '@weir/proto/common';
import { type Client, seedOf } from './test-variables.js';

/** What the records of all families have. */
export interface TestRecord {
  readonly id: string;
  readonly name: string;
  readonly revision: number;
  readonly updatedAtUs: number;
  readonly lifecycle?: Lifecycle | undefined;
}

/** What a page is asked for; a limit of 100 unless given. */
export interface TestQuery {
  readonly q?: string;
  readonly includeArchived?: boolean;
  readonly limit?: number;
  readonly after?: string;
}

/** The calls of one family of records in one project, under one name each. */
export interface TestFamily {
  create(name: string): Promise<TestRecord>;
  get(id: string, includeArchived?: boolean): Promise<TestRecord | undefined>;
  list(query?: TestQuery): Promise<{ readonly records: readonly TestRecord[]; readonly nextAfter: string }>;
  update(id: string, patch: { name?: string; cleared?: string[] }, expectedRevision?: number): Promise<TestRecord>;
  archive(id: string): Promise<TestRecord | undefined>;
  restore(id: string): Promise<TestRecord | undefined>;
}

/** Who updates in tests of families. */
export const editor = { type: 'developer_api_key', id: 'editor' };

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the answer lacks its record');
  return value;
}

const asked = ({ q = '', includeArchived = false, limit = 100, after = '' }: TestQuery = {}) => ({
  q,
  includeArchived,
  limit,
  after,
});

/** The families of records that are edited, each made for a project. */
export const families: Readonly<Record<string, (client: Client, projectId: string) => Promise<TestFamily>>> = {
  sites: async (client, projectId) => {
    const seed = seedOf(client, projectId);
    const change = (siteId: string) => ({ projectId, siteId, actor: operator });
    return {
      create: (name) => seed.site(name),
      get: async (siteId, includeArchived = false) =>
        (await client.getSite({ projectId, siteId, includeArchived })).site,
      list: async (query) => {
        const { sites, nextAfter } = await client.listSites({ projectId, ...asked(query) });
        return { records: sites, nextAfter };
      },
      update: async (siteId, patch, expectedRevision) =>
        present((await client.updateSite({ ...change(siteId), actor: editor, patch, expectedRevision })).site),
      archive: async (siteId) => (await client.archiveSite(change(siteId))).site,
      restore: async (siteId) => (await client.restoreSite(change(siteId))).site,
    };
  },
  instruments: async (client, projectId) => {
    const seed = seedOf(client, projectId);
    const change = (instrumentId: string) => ({ projectId, instrumentId, actor: operator });
    return {
      create: (name) => seed.instrument(name),
      get: async (instrumentId, includeArchived = false) =>
        (await client.getInstrument({ projectId, instrumentId, includeArchived })).instrument,
      list: async (query) => {
        const { instruments, nextAfter } = await client.listInstruments({ projectId, ...asked(query) });
        return { records: instruments, nextAfter };
      },
      update: async (id, patch, expectedRevision) =>
        present((await client.updateInstrument({ ...change(id), actor: editor, patch, expectedRevision })).instrument),
      archive: async (instrumentId) => (await client.archiveInstrument(change(instrumentId))).instrument,
      restore: async (instrumentId) => (await client.restoreInstrument(change(instrumentId))).instrument,
    };
  },
  variables: async (client, projectId) => {
    const seed = seedOf(client, projectId);
    const { id: instrumentId } = await seed.instrument(`logger ${randomUUID()}`);
    const change = (variableId: string) => ({ projectId, instrumentId, variableId, actor: operator });
    return {
      create: (name) => seed.variable(name, instrumentId),
      get: async (variableId, includeArchived = false) =>
        (await client.getVariable({ ...change(variableId), includeArchived })).variable,
      list: async (query) => {
        const { variables, nextAfter } = await client.searchVariables({ projectId, instrumentId, ...asked(query) });
        return { records: variables, nextAfter };
      },
      update: async (id, patch, expectedRevision) =>
        present(
          (await client.updateIngestedVariable({ ...change(id), actor: editor, patch, expectedRevision })).variable,
        ),
      archive: async (variableId) => (await client.archiveVariable(change(variableId))).variable,
      restore: async (variableId) => (await client.restoreVariable(change(variableId))).variable,
    };
  },
  groups: async (client, projectId) => {
    const change = (groupId: string) => ({ projectId, groupId, actor: operator });
    return {
      create: async (name) => present((await client.createGroup({ projectId, name, actor: operator })).group),
      get: async (groupId, includeArchived = false) =>
        (await client.getGroup({ projectId, groupId, includeArchived })).group,
      list: async (query) => {
        const { groups, nextAfter } = await client.listGroups({ projectId, ...asked(query) });
        return { records: groups, nextAfter };
      },
      update: async (groupId, patch, expectedRevision) =>
        present((await client.updateGroup({ ...change(groupId), actor: editor, patch, expectedRevision })).group),
      archive: async (groupId) => (await client.archiveGroup(change(groupId))).group,
      restore: async (groupId) => (await client.restoreGroup(change(groupId))).group,
    };
  },
};

/** All records of a list, page by page; `between` runs after each page but the last. */
export async function readAll(
  list: (after: string) => Promise<{ readonly records: readonly TestRecord[]; readonly nextAfter: string }>,
  between: () => Promise<unknown> = async () => undefined,
): Promise<TestRecord[]> {
  const all: TestRecord[] = [];
  for (let after = ''; ; ) {
    const page = await list(after);
    all.push(...page.records);
    if (page.nextAfter === '') return all;
    after = page.nextAfter;
    await between();
  }
}
