import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { actor, createTestProject, failure, type StartedAccess, startedAccess } from './started-access.js';

const unknownId = '01920000-0000-7000-8000-000000000000';
let access: StartedAccess;
beforeAll(async () => {
  access = await startedAccess();
});
afterAll(() => access[Symbol.asyncDispose]());

describe('organizations', () => {
  test('are created with a normalized name and listed in order', async () => {
    const before = Date.now() * 1000;
    const { organization } = await access.client.createOrganization({ name: ' Cafe\u0301 Société ', actor });
    expect(organization).toMatchObject({ name: 'Café Société', id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    expect(Math.abs((organization?.createdAtUs ?? 0) - before)).toBeLessThan(60_000_000);
    const { organizations } = await access.client.listOrganizations({ limit: 1000 });
    expect(organizations.at(-1)).toEqual(organization);
  });

  test('have names that are unique, case minded', async () => {
    await access.client.createOrganization({ name: 'Alpha', actor });
    await access.client.createOrganization({ name: 'alpha', actor });
    const error = await failure(access.client.createOrganization({ name: 'Alpha ', actor }));
    expect(error).toMatchObject({ code: 'name_conflict', details: [{ path: '/name', code: 'name_taken' }] });
  });

  test('tell all faults at once', async () => {
    const error = await failure(access.client.createOrganization({ name: 'a\nb', actor: { type: 'robot', id: '' } }));
    expect(error.code).toBe('invalid_request');
    expect(error.details.map((detail) => detail.path)).toEqual(['/name', '/actor']);
  });

  test('remember who made them', async () => {
    for (const nobody of [undefined, { type: 'user', id: 'a\nb' }]) {
      const error = await failure(access.client.createOrganization({ name: 'No actor', actor: nobody }));
      expect(error).toMatchObject({ code: 'invalid_request', details: [{ path: '/actor', code: 'invalid_actor' }] });
    }
  });

  test('are paged without a gap', async () => {
    for (let i = 0; i < 5; i++) await access.client.createOrganization({ name: `Page ${i}`, actor });
    const { organizations: all } = await access.client.listOrganizations({ limit: 1000 });
    const paged: unknown[] = [];
    let after = '';
    do {
      const page = await access.client.listOrganizations({ limit: 2, after });
      expect(page.organizations.length).toBeLessThanOrEqual(2);
      paged.push(...page.organizations);
      after = page.nextAfter;
    } while (after !== '');
    expect(paged).toEqual(all);
  });

  test.each([0, -1, 1001])('refuse a page of %i', async (limit) => {
    const error = await failure(access.client.listOrganizations({ limit }));
    expect(error).toMatchObject({ code: 'invalid_request', details: [{ path: '/limit' }] });
  });

  test('refuse a page that was never given out', async () => {
    const error = await failure(access.client.listOrganizations({ limit: 1, after: "'; --" }));
    expect(error).toMatchObject({ code: 'invalid_request', details: [{ path: '/after' }] });
  });
});

describe('projects', () => {
  test('belong to an organization, within which their names are unique', async () => {
    const { organizationId, projectId } = await createTestProject(access.client);
    const other = await createTestProject(access.client);
    const { projects } = await access.client.listProjects({ organizationId, limit: 10 });
    expect(projects).toMatchObject([{ id: projectId, organizationId }]);
    const name = projects[0]?.name ?? '';
    expect(await failure(access.client.createProject({ organizationId, name, actor }))).toMatchObject({
      code: 'name_conflict',
    });
    await access.client.createProject({ organizationId: other.organizationId, name, actor });
  });

  test('of all organizations are listed when none is named', async () => {
    const { projectId } = await createTestProject(access.client);
    const { projects } = await access.client.listProjects({ limit: 1000 });
    expect(projects.at(-1)?.id).toBe(projectId);
    expect(new Set(projects.map((project) => project.organizationId)).size).toBeGreaterThan(1);
  });

  test.each([unknownId, 'nowhere'])('need an organization that exists: %s', async (organizationId) => {
    const error = await failure(access.client.createProject({ organizationId, name: 'Lost', actor }));
    expect(error).toMatchObject({ code: 'not_found', message: 'There is no such organization.' });
    expect(await failure(access.client.listProjects({ organizationId, limit: 1 }))).toMatchObject({
      code: 'not_found',
    });
  });

  test('may be none', async () => {
    const { organization } = await access.client.createOrganization({ name: 'Empty', actor });
    const answer = await access.client.listProjects({ organizationId: organization?.id ?? '', limit: 1 });
    expect(answer).toEqual({ projects: [], nextAfter: '' });
  });
});

test('twenty that take one name at once: one gets it', async () => {
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, () => access.client.createOrganization({ name: 'Popular', actor })),
  );
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'name_conflict' });
  }
});
