import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProgram } from '../src/program.js';
import { startedAccess } from './started-access.js';
import { startedIngestion } from './started-ingestion.js';
import { startedVariables } from './started-variables.js';
import { weirJson } from './weir.js';

/** Every command that writes, by two people: each is in `weir audit`. */
const people = ['ada', 'grace'] as const;

interface Entry {
  readonly at: string;
  readonly actor: { readonly type: string; readonly id: string };
  readonly action: string;
  readonly record_type: string;
  readonly record_id: string;
  readonly project_id: string | null;
  readonly revision_before: number | null;
  readonly revision_after: number | null;
  readonly changed: readonly string[];
}
interface Printed {
  readonly id: string;
  readonly run_id: string;
  readonly secrets: readonly { readonly id: string; readonly revoked_at: string | null }[];
}

let stack: AsyncDisposableStack;
let access: Awaited<ReturnType<typeof startedAccess>>;
let ingestion: Awaited<ReturnType<typeof startedIngestion>>;
let variables: Awaited<ReturnType<typeof startedVariables>>;
let env: Record<string, string>;
beforeAll(async () => {
  stack = new AsyncDisposableStack();
  access = stack.use(await startedAccess());
  ingestion = stack.use(await startedIngestion());
  variables = stack.use(await startedVariables());
  env = { ...access.env, ...ingestion.env, ...variables.env };
});
afterAll(() => stack.disposeAsync());

/** Commands that leave no entry, and why. */
const silent = {
  reads: [
    ...['organizations list', 'projects list', 'keys list', 'connections list', 'runs list', 'runs show'],
    ...['audit', 'status'],
  ],
  'goes through the gateway with the key of a connection, which is the actor of its runs': ['files ingest'],
  'changes schemas, no record: `migrations` of each has what and when, and PostgreSQL knows by which login': [
    'migrate',
  ],
};

const entriesOf = async (recordId: string): Promise<readonly Entry[]> => {
  const services = ['--service', 'access', 'ingestion', 'variables'];
  const { items } = await weirJson<{ items: Entry[] }>(['audit', '--record', recordId, ...services], env);
  return items;
};

const liveOf = (printed: Printed) => printed.secrets.flatMap(({ id, revoked_at }) => (revoked_at === null ? [id] : []));

/** All that one person can do, and the entry that it is to leave: action, type and id of the record, what was changed. */
async function doAll(person: string, note: (command: string, ...told: (string | undefined)[]) => void): Promise<void> {
  const weir = (...args: string[]) => weirJson<Printed>(args, env, person);
  const { id: organization } = await weir('organizations', 'create', `${person}'s`);
  note('organizations create', 'created', 'organization', organization, '');
  const { id: project } = await weir('projects', 'create', person, '--organization', organization);
  note('projects create', 'created', 'project', project, '');

  const key = await weir('keys', 'create', person, '--project', project, '--all-permissions');
  note('keys create', 'created', 'developer_api_key', key.id, '');
  note('keys create', 'created', 'secret', key.secrets[0]?.id, '');
  const rotated = await weir('keys', 'rotate', key.id);
  note('keys rotate', 'created', 'secret', rotated.secrets[1]?.id, '');
  await weir('keys', 'revoke', key.id, '--secret', key.secrets[0]?.id ?? '');
  note('keys revoke', 'revoked', 'secret', key.secrets[0]?.id, 'revoked_at');
  await weir('keys', 'revoke', key.id);
  note('keys revoke', 'revoked', 'developer_api_key', key.id, 'revoked_at');
  note('keys revoke', 'revoked', 'secret', rotated.secrets[1]?.id, 'revoked_at');

  const connection = await weir('connections', 'create', person, '--project', project);
  note('connections create', 'created', 'ingestion_connection', connection.id, '');
  note('connections create', 'created', 'secret', connection.secrets[0]?.id, '');
  await weir('connections', 'update', connection.id, '--name', 'renamed', '--provisioning', 'strict');
  note('connections update', 'updated', 'ingestion_connection', connection.id, 'name,provisioning');
  await weir('connections', 'disable', connection.id);
  note('connections disable', 'updated', 'ingestion_connection', connection.id, 'enabled');
  await weir('connections', 'enable', connection.id);
  note('connections enable', 'updated', 'ingestion_connection', connection.id, 'enabled');
  const second = liveOf(await weir('connections', 'rotate', connection.id)).at(-1);
  note('connections rotate', 'created', 'secret', second, '');
  await weir('connections', 'revoke', connection.id);
  note('connections revoke', 'revoked', 'secret', second, 'revoked_at');
  note('connections revoke', 'revoked', 'secret', connection.secrets[0]?.id, 'revoked_at');

  const calculated = await variables.newCalculated();
  const again = await weir('recalculate', calculated.variableId, '--project', calculated.projectId);
  note('recalculate', 'created', 'recalculation', again.run_id, '');
  await weir('runs', 'cancel', again.run_id);
  note('runs cancel', 'cancelled', 'recalculation', again.run_id, 'error_code,finished_at,state');
}

test('every command that writes leaves an entry of who did what, when', async () => {
  const commands = new Set<string>();
  for (const person of people) {
    const expected: { command: string; told: (string | undefined)[] }[] = [];
    const since = new Date().toISOString();
    await doAll(person, (command, ...told) => {
      commands.add(command);
      expected.push({ command, told });
    });
    for (const { command, told } of expected) {
      const [action, type, id = ''] = told;
      const entries = await entriesOf(id);
      const found = entries.find(({ changed, ...entry }) => entry.action === action && changed.join() === told[3]);
      expect(found, `${command} by ${person}`).toMatchObject({
        actor: { type: 'user', id: person },
        record_type: type,
        record_id: id,
        // records of operators have no revisions
        revision_before: null,
        revision_after: null,
      });
      expect([found?.at ?? '', new Date().toISOString()].sort()[0], command).toBe(found?.at);
      expect([since, found?.at ?? ''].sort()[0], command).toBe(since);
    }
  }
  const context = { env, output: undefined as never, userName: '', setExitCode: () => undefined };
  const leaves = createProgram(context, '0').commands.flatMap((command) =>
    command.commands.length === 0
      ? [command.name()]
      : command.commands.map((child) => `${command.name()} ${child.name()}`),
  );
  // retries have their own test
  expect(leaves.sort()).toEqual([...commands, 'runs retry', ...Object.values(silent).flat()].sort());
});

test('each retry of a run is told as one, whoever did the one before', async () => {
  const [runId = ''] = await ingestion.admit(ingestion.newScope(), 1, [0]);
  const retries = ['ada', 'ada', 'grace', 'ada'];
  for (const [times, person] of retries.entries()) {
    if (times > 0) await ingestion.failAgain(runId, times);
    await weirJson(['runs', 'retry', runId], env, person);
  }
  const entries = (await entriesOf(runId)).toReversed();
  expect(entries.map(({ action, actor }) => `${action} by ${actor.id}`)).toEqual(
    retries.map((person) => `retried by ${person}`),
  );
  for (const entry of entries) {
    expect(entry).toMatchObject({ record_type: 'run', revision_before: null, revision_after: null });
    expect(entry.changed).toContain('queued_epoch');
  }
});
