import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { createServer, type Http2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openClients } from '@weir/gateway/clients';
import { WeirError } from '@weir/kit/errors';
import { connect } from '@weir/kit/rpc';
import type { AuditServiceDefinition } from '@weir/proto/audit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../harness/checkout.js';

type Definition = typeof AuditServiceDefinition;
type Call = (request: object, options?: { readonly timeoutMs: number }) => Promise<unknown> | AsyncIterable<unknown>;
type Calls = Readonly<Record<string, Call>>;

const timeoutMs = 100;
/** So much later at most, by a machine that has nothing else to do. */
const lateMsMax = 50;
const triesMax = 10;
/** The longest that a client may declare: a request takes no longer than 30 s by default. */
const declaredMsMax = 20_000;
/** Calls begin one after the other, so that the ends of many do not make each other late. */
const pauseMs = 10;

const proto = join(root, 'proto');
const { exports: doors } = JSON.parse(readFileSync(join(proto, 'package.json'), 'utf8')) as { exports: object };

/** Whatever the contracts declare as a service. */
async function declaredServices(): Promise<Definition[]> {
  const modules = await Promise.all(Object.keys(doors).map((door) => import(door.replace('.', '@weir/proto'))));
  const exported = modules.flatMap((module) => Object.values<Partial<Definition> | undefined>(module));
  return exported.filter((one): one is Definition => one?.fullName !== undefined && one.methods !== undefined);
}
const services = await declaredServices();

/** A server that takes every call and answers none: nothing but its deadline ends a call there. */
const silent = createServer().on('stream', (stream) => stream.on('error', () => undefined));
const sessions: Http2Session[] = [];
silent.on('session', (session) => sessions.push(session));
let nowhere: string;
beforeAll(async () => {
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  nowhere = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
});
afterAll(() => {
  for (const session of sessions) session.destroy();
  silent.close();
});

/** The error that a call ends with, whether it answers once or streams, and when. */
async function endOf(call: Call, ...options: { readonly timeoutMs: number }[]) {
  const beganMs = performance.now();
  const tookMs = (): number => performance.now() - beganMs;
  try {
    const answer = call({}, ...options);
    if (Symbol.asyncIterator in answer) for await (const _ of answer);
    else await answer;
  } catch (error) {
    return { error, tookMs: tookMs() };
  }
  return { error: undefined, tookMs: tookMs() };
}

/** Ends calls until one is not late, and answers after how many milliseconds each says that nobody answered. */
async function deadlineOf(name: string, end: () => ReturnType<typeof endOf>): Promise<number> {
  for (let tries = 1; ; tries++) {
    const { error, tookMs } = await end();
    expect(error, name).toBeInstanceOf(WeirError);
    expect(error, name).toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 1 });
    // people read it, who know of no methods between services
    expect((error as WeirError).message, name).not.toMatch(/weir|Service|\//);
    const deadlineMs = Number(/ did not answer in (\d+) ms\./.exec((error as WeirError).message)?.[1]);
    const lateMs = tookMs - deadlineMs;
    // who is late may have waited for others on this machine, and is asked again
    if (lateMs <= lateMsMax) return deadlineMs;
    expect(tries, `${name} ended ${lateMs} ms late`).toBeLessThan(triesMax);
  }
}

test('no service of the contracts is forgotten', () => {
  const texts = globSync('weir/*/v1/*.proto', { cwd: proto }).map((file) => readFileSync(join(proto, file), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(/^service (\w+)/gm)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(6);
  expect(new Set(services.map(({ name }) => name))).toEqual(new Set(names));
});

test.each(services)('G1: every call of $fullName to nowhere ends with its deadline', async (definition) => {
  using client = connect(definition, nowhere);
  const calls = client as unknown as Calls;
  for (const name of Object.keys(definition.methods))
    expect(await deadlineOf(name, () => endOf(calls[name] as Call, { timeoutMs }))).toBe(timeoutMs);
});

/** Clients as processes have them, each with the service that it is of. */
function* declaredClients(opened: DisposableStack): Generator<readonly [Definition, Calls]> {
  const address = nowhere;
  // those of processors and of the command line name no deadline of their own
  for (const definition of services) yield [definition, opened.use(connect(definition, address)) as unknown as Calls];
  const clients = opened.use(
    openClients({
      accessAddress: address,
      variablesAddress: address,
      dashboardsAddress: address,
      parsersAddress: address,
      ingestionAddress: address,
      observationsAddress: address,
    }),
  );
  for (const [name, client] of Object.entries(clients)) {
    const definition = services.find(({ fullName }) => fullName.split('.')[1] === name);
    if (definition !== undefined) yield [definition, client as unknown as Calls];
  }
}

test('G1: every call by every client of a process ends with the deadline that the client declares', async () => {
  using opened = new DisposableStack();
  const ended: Promise<readonly [client: number, deadlineMs: number]>[] = [];
  const clients = [...declaredClients(opened)];
  for (const [at, [{ fullName, methods }, calls]] of clients.entries()) {
    for (const name of Object.keys(methods)) {
      const deadline = deadlineOf(`${fullName}.${name}`, () => endOf(calls[name] as Call));
      ended.push(deadline.then((ms) => [at, ms]));
      await delay(pauseMs);
    }
  }
  const deadlines = await Promise.all(ended);
  expect(new Set(deadlines.map(([at]) => at)).size).toBe(services.length + 6);
  for (const [, ms] of deadlines) expect(ms).toBeLessThanOrEqual(declaredMsMax);
});
