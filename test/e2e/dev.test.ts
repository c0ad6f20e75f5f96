import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Checkout, openCheckout } from '../harness/checkout.js';

/** Whether a process runs; one that has ended and whose parent has not asked yet does not. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

async function untilEnded(pids: Iterable<number>): Promise<void> {
  for (const pid of pids) while (isRunning(pid)) await sleep(50);
}

/** What `./dev env` says, by name. */
async function environmentOf(checkout: Checkout): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await checkout.run('./dev env');
  expect(code, stderr).toBe(0);
  return Object.fromEntries(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=', 2)),
  );
}

async function isReady(url: string | undefined): Promise<boolean> {
  const answer = await fetch(`${url}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok === true;
}

test('D2, D3: two stacks run side by side; killed supervisors come up again with their data, killed parts by themselves', async () => {
  await using first = await openCheckout();
  await using second = await openCheckout();
  for (const { code, stderr } of await Promise.all([first, second].map((each) => each.run('./dev up --detach')))) {
    expect(code, stderr).toBe(0);
  }
  const [environment, other] = [await environmentOf(first), await environmentOf(second)];
  expect(environment['WEIR_URL']).not.toBe(other['WEIR_URL']);
  expect(environment['WEIR_PROJECT_ID']).not.toBe(other['WEIR_PROJECT_ID']);

  const again = await first.run('./dev up');
  expect(again.code).toBe(0);
  expect(again.stdout).toContain(`Already running.\n\nWeir is ready at ${environment['WEIR_URL']}`);

  const pids = await first.pids();
  expect([...pids.keys()].sort()).toEqual([
    'access',
    'dashboards',
    'gateway',
    'ingestion',
    'nats',
    'observations',
    'parsers',
    'postgres',
    'processor-1',
    'redis',
    'supervisor',
    'variables',
  ]);
  process.kill(pids.get('supervisor') ?? 0, 'SIGKILL');
  await untilEnded(pids.values());
  expect((await first.run('./dev env')).code).toBe(1);
  const revived = await first.run('./dev up --detach');
  expect(revived.code, revived.stderr).toBe(0);
  expect(await environmentOf(first)).toEqual(environment);

  const last = await first.pids();
  expect((await first.run('./dev down --purge')).code).toBe(0);
  expect([...last.values()].filter(isRunning)).toEqual([]);
  expect(existsSync(`${first.dataDirectory}/postgres`)).toBe(false);
  expect(await environmentOf(second)).toEqual(other);

  for (const name of ['gateway', 'postgres']) {
    const before = (await second.pids()).get(name) ?? 0;
    process.kill(before, 'SIGKILL');
    while ((await second.pids()).get(name) === before) await sleep(50);
  }
  while (!(await isReady(other['WEIR_URL']))) await sleep(50);
});

test.each([
  { script: './dev --help', code: 0, says: 'Usage: ./dev <command>' },
  { script: './dev up --help', code: 0, says: 'Usage: ./dev <command>' },
  { script: './dev nonsense', code: 2, says: 'unknown command nonsense' },
  { script: './dev check nonsense', code: 2, says: 'no step nonsense' },
  { script: './dev bench --only W99', code: 2, says: 'there is no W99' },
  { script: './dev exercise --fault nonsense', code: 2, says: 'there is no fault nonsense' },
  { script: './dev env', code: 1, says: 'nothing is running' },
  { script: './dev weir status', code: 1, says: 'nothing is running: ./dev up --detach' },
  { script: './dev weir status --help', code: 0, says: 'Usage: weir status' },
  { script: './dev down', code: 0, says: 'nothing runs' },
  { script: 'WEIR_PORT=x ./dev up', code: 2, says: 'WEIR_PORT is x' },
])('$script exits with $code', async ({ script, code, says }) => {
  await using checkout = await openCheckout();
  const ended = await checkout.run(script);
  expect(`${ended.stdout}${ended.stderr}`).toContain(says);
  expect(ended.code).toBe(code);
});

test.each([
  { script: './dev up --nonsense', says: "Unknown option '--nonsense'" },
  { script: './dev up nonsense', says: "Unexpected argument 'nonsense'" },
  { script: './dev bench --quick --nonsense=3', says: "Unknown option '--nonsense=3'" },
  { script: './dev test nonsense', says: 'there are no nonsense tests' },
  { script: './dev doctor nonsense', says: "Unexpected argument 'nonsense'" },
])('$script is refused before anything is got or built', async ({ script, says }) => {
  await using checkout = await openCheckout();
  const { code, stderr } = await checkout.run(script);
  expect(stderr).toContain(says);
  expect(code).toBe(2);
  expect(readdirSync(checkout.dataDirectory)).toEqual([]);
});

test('D4: doctor names each thing that is missing and how to get it', async () => {
  await using checkout = await openCheckout();
  const tools = 'bash dirname readlink sed uname tr id sort printf head';
  const { code, stdout } = await checkout.run(
    `bin=$(mktemp -d); for tool in ${tools}; do ln -s "$(command -v $tool)" "$bin"; done; PATH=$bin ./dev doctor; code=$?; rm -r "$bin"; exit $code`,
  );
  expect(code).toBe(1);
  for (const what of ['node', 'npm', 'git', 'curl', 'setpriv']) {
    expect(stdout).toMatch(new RegExp(`^missing +${what} +\\S`, 'm'));
  }
});
