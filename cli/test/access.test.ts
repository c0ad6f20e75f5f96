import { parseKey } from '@weir/kit/keys';
import { allPermissions } from '@weir/kit/permissions';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedAccess, startedAccess } from './started-access.js';
import { weir, weirJson } from './weir.js';

interface PrintedRecord {
  readonly id: string;
  readonly name: string;
  readonly plaintext: string;
  readonly permissions: readonly string[];
  readonly enabled: boolean;
  readonly provisioning: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly secrets: readonly { readonly id: string; readonly hint: string; readonly revoked_at: string | null }[];
}
interface PrintedList {
  readonly items: readonly PrintedRecord[];
  readonly has_more: boolean;
}

let access: StartedAccess;
let organization: PrintedRecord;
let project: PrintedRecord;
const json = (...args: string[]) => weirJson<PrintedRecord>(args, access.env);
const list = (...args: string[]) => weirJson<PrintedList>(args, access.env);
const read = 'developer_api.observations.read';

beforeAll(async () => {
  access = await startedAccess();
  organization = await json('organizations', 'create', 'Hydrology');
  project = await json('projects', 'create', 'Rhône', '--organization', organization.id);
});
afterAll(() => access[Symbol.asyncDispose]());

describe('organizations and projects', () => {
  test('are created and listed', async () => {
    expect((await list('organizations', 'list')).items).toEqual([organization]);
    expect((await list('projects', 'list', '--organization', organization.id)).items).toEqual([project]);
    expect((await list('projects', 'list')).items).toEqual([project]);
  });

  test('are lines of tab-separated values in a pipe', async () => {
    const { stdout } = await weir(['projects', 'list'], access.env);
    expect(stdout.split('\t').slice(0, 3)).toEqual([project.id, organization.id, 'Rhône']);
    const created = await weir(['organizations', 'create', 'Glaciers'], access.env);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^id\t[0-9a-f-]{36}\nname\tGlaciers\n/) });
  });

  test('are followed over pages up to --limit', async () => {
    const { id } = await json('organizations', 'create', 'Many');
    for (const name of ['a', 'b', 'c']) await json('projects', 'create', name, '--organization', id);
    const all = await list('projects', 'list', '--organization', id, '--limit', '3');
    expect(all.items.map((item) => item.name)).toEqual(['a', 'b', 'c']);
    expect(all.has_more).toBe(false);
    const some = await weir(['projects', 'list', '--organization', id, '--limit', '2'], access.env);
    expect(some.stdout.trim().split('\n')).toHaveLength(2);
    expect(some.stderr).toBe('There are more than these 2; ask for them with --limit.\n');
  });
});

describe('keys', () => {
  test('are created with their text on stdout and a warning on stderr', async () => {
    const args = ['keys', 'create', 'Reader', '--project', project.id, '--permission', read];
    const { code, stdout, stderr } = await weir(args, access.env);
    expect(code).toBe(0);
    const lines = new Map(stdout.split('\n').map((line) => line.split('\t') as [string, string]));
    expect(parseKey(lines.get('key') ?? '')).toMatchObject({ kind: 'developer', id: lines.get('id') });
    expect(stderr).toBe('Keep the key in a safe place now: it is not shown again.\n');
  });

  test('may do what --permission names, or everything, until they expire', async () => {
    const some = await json(
      ...['keys', 'create', 'Some', '--project', project.id, '--permission', read],
      ...['--permission', 'developer_api.runs.list', '--expires-at', '2200-01-01T01:00:00+01:00'],
    );
    expect(some).toMatchObject({
      permissions: [read, 'developer_api.runs.list'],
      expires_at: '2200-01-01T00:00:00.000Z',
    });
    const all = await json('keys', 'create', 'All', '--project', project.id, '--all-permissions');
    expect(all.permissions).toEqual(allPermissions);
  });

  test('are rotated over two secrets and revoked', async () => {
    const created = await json('keys', 'create', 'Turning', '--project', project.id, '--all-permissions');
    const rotated = await json('keys', 'rotate', created.id);
    expect(parseKey(rotated.plaintext)?.id).toBe(created.id);
    const third = await weir(['keys', 'rotate', created.id], access.env);
    expect(third).toMatchObject({ code: 1, stdout: '' });
    expect(third.stderr).toMatch(/^weir: 2 secrets are live already; revoke the one/);
    const [first] = rotated.secrets;
    const half = await json('keys', 'revoke', created.id, '--secret', first?.id ?? '');
    expect(half).toMatchObject({ revoked_at: null });
    expect(half.secrets.map((secret) => secret.revoked_at === null)).toEqual([false, true]);
    const again = await weir(['keys', 'revoke', created.id, '--secret', first?.id ?? ''], access.env);
    const [, second] = rotated.secrets;
    expect(again.stdout).toMatch(new RegExp(`^live_secrets\\t${second?.id} …${second?.hint}$`, 'm'));
    const gone = await json('keys', 'revoke', created.id);
    expect(gone.revoked_at).not.toBeNull();
    expect((await list('keys', 'list', '--project', project.id)).items).toContainEqual(gone);
    const secrets = await weir(['keys', 'list', '--project', project.id, '--secrets'], access.env);
    expect(secrets.stdout).toContain(`${created.id}\tTurning\t${first?.id}\t${created.plaintext.slice(-4)}\t`);
  });

  test('never show a secret again', async () => {
    const created = await json('keys', 'create', 'Quiet', '--project', project.id, '--all-permissions');
    const { stdout } = await weir(['keys', 'list', '--project', project.id, '--json'], access.env);
    expect(stdout).toContain(created.id);
    expect(stdout).not.toContain(created.plaintext.split('_')[3]);
  });
});

describe('connections', () => {
  test('are created, changed, switched off and on', async () => {
    const created = await json('connections', 'create', 'Loggers', '--project', project.id);
    expect(created).toMatchObject({ provisioning: 'automatic', enabled: true });
    expect(parseKey(created.plaintext)).toMatchObject({ kind: 'ingestion', id: created.id });
    const changed = await json('connections', 'update', created.id, '--name', 'Radio', '--provisioning', 'strict');
    expect(changed).toMatchObject({ name: 'Radio', provisioning: 'strict', enabled: true });
    expect(await json('connections', 'disable', created.id)).toMatchObject({ enabled: false });
    expect(await json('connections', 'enable', created.id)).toEqual(changed);
    expect((await list('connections', 'list', '--project', project.id)).items).toContainEqual(changed);
  });

  test('have a key that is rotated and revoked', async () => {
    const created = await json('connections', 'create', 'Turning', '--project', project.id);
    const rotated = await json('connections', 'rotate', created.id);
    expect(parseKey(rotated.plaintext)?.id).toBe(created.id);
    const half = await json('connections', 'revoke', created.id, '--secret', rotated.secrets[0]?.id ?? '');
    expect(half.secrets.map((secret) => secret.revoked_at === null)).toEqual([false, true]);
    const none = await json('connections', 'revoke', created.id);
    expect(none.secrets.every((secret) => secret.revoked_at !== null)).toBe(true);
    const named = await weir(['connections', 'update', created.id, '--name', 'Turned'], access.env);
    expect(named.stdout).toMatch(/^live_secrets\t-$/m);
    const { stdout } = await weir(['connections', 'list', '--project', project.id, '--secrets'], access.env);
    expect(stdout.split('\n').filter((line) => line.startsWith(created.id))).toHaveLength(2);
  });
});

describe('a failure', () => {
  test('of the operation is 1, and tells what to do', async () => {
    const failed = await weir(['organizations', 'create', 'Hydrology'], access.env);
    expect(failed).toEqual({
      code: 1,
      stdout: '',
      stderr: 'weir: Another organization has this name; choose another.\n',
    });
    const asJson = await weir(['organizations', 'create', 'a\tb', '--json'], access.env);
    expect(asJson).toMatchObject({ code: 1, stdout: '' });
    expect(JSON.parse(asJson.stderr)).toMatchObject({
      error: { code: 'invalid_request', details: [{ path: '/name', code: 'invalid_name' }] },
    });
  });

  test('to reach the service is 1', async () => {
    const { code, stderr } = await weir(['organizations', 'list', '--json'], { ACCESS_ADDRESS: '127.0.0.1:1' });
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ error: { code: 'dependency_unavailable' } });
  });
});
