import { describe, expect, test } from 'vitest';
import { run } from './run.js';

async function weir(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  let stdout = '';
  let stderr = '';
  const code = await run({
    args,
    env,
    stdout: { write: (part) => (stdout += part) },
    stderr: { write: (part) => (stderr += part) },
    userName: 'tester',
    version: '1.2.3',
  });
  return { code, stdout, stderr };
}

const project = ['--project', '01920000-0000-7000-8000-000000000000'];

describe('wrong usage is 2 and does nothing', () => {
  test.each([
    [[], /name what to do/],
    [['keys'], /name what to do/],
    [['frobnicate'], /unknown command 'frobnicate'/],
    [['keys', 'list'], /required option '--project <id>' not specified/],
    [['keys', 'list', ...project, '--limit', '0'], /It must be an integer from 1/],
    [['keys', 'list', ...project, '--limit', '1e3'], /It must be an integer from 1/],
    [['keys', 'create', ...project, '--all-permissions'], /missing required argument 'name'/],
    [['keys', 'create', 'x', ...project], /give '--permission <permission>' or '--all-permissions'/],
    [['keys', 'create', 'x', ...project, '--permission', 'observations.read'], /--help for those there are/],
    [
      ['keys', 'create', 'x', ...project, '--all-permissions', '--permission', 'developer_api.runs.list'],
      /cannot be used with option/,
    ],
    [['keys', 'create', 'x', ...project, '--all-permissions', '--expires-at', 'tomorrow'], /date-time with Z/],
    [['connections', 'create', 'x', ...project, '--provisioning', 'maybe'], /Allowed choices are automatic, strict/],
    [['connections', 'update', 'x'], /give '--name <name>' or '--provisioning <policy>'/],
    [['runs', 'list', '--state', 'lost'], /Allowed choices are queued/],
    [['runs', 'list', '--connection', 'nope'], /'--connection <id>' argument 'nope' is invalid. It must be an id/],
    [['runs', 'list', '--project', 'nope'], /It must be an id, a UUID/],
    [['audit', '--project', 'nope'], /It must be an id, a UUID/],
    [['audit', '--record', 'nope'], /It must be an id, a UUID/],
    [['audit', '--record', `${project[1]}/${project[1]}/${project[1]}`], /It must be an id, a UUID/],
    [['runs', 'retry'], /missing required argument 'run_id'/],
    [['organizations', 'list', 'surplus'], /too many arguments/],
    [['migrate', '--force'], /unknown option '--force'/],
  ])('weir %j', async (args, message) => {
    const { code, stdout, stderr } = await weir(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    const asJson = await weir([...args, '--json']);
    expect({ code: asJson.code, stdout: asJson.stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(asJson.stderr)).toMatchObject({ error: { code: 'usage' } });
  });
});

describe('a missing or wrong setting is 78', () => {
  test.each([
    [['organizations', 'list'], {}, /ACCESS_ADDRESS is required/],
    [['organizations', 'list'], { ACCESS_ADDRESS: 'nowhere' }, /ACCESS_ADDRESS is "nowhere", but must be host:port/],
    [['runs', 'list'], { ACCESS_ADDRESS: '127.0.0.1:1' }, /INGESTION_ADDRESS is required/],
    [['status'], { ACCESS_ADDRESS: '127.0.0.1:1' }, /5 fault\(s\)/],
    [['migrate'], { DATABASE_URL: 'mysql://u:secret@h/d' }, /DATABASE_URL is \(a secret\)/],
  ])('weir %j with %j', async (args, env, message) => {
    const { code, stdout, stderr } = await weir(args, env);
    expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('secret@');
  });
});

describe('help', () => {
  test.each([[['--help']], [['help']], [['keys', '--help']], [['keys', 'create', '--help']], [['runs', 'list', '-h']]])(
    'weir %j is on stdout',
    async (args) => {
      const { code, stdout, stderr } = await weir(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^Usage: weir/);
    },
  );

  test('of keys create names the permissions', async () => {
    expect((await weir(['keys', 'create', '--help'])).stdout).toContain('developer_api.observations.export');
  });

  test('--version is that of the package', async () => {
    expect(await weir(['--version'])).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' });
  });
});
