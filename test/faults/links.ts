import { setTimeout as delay } from 'node:timers/promises';
import { type Fault, startTcpProxy, type TcpProxy } from '@weir/kit/testing';
import { newAddresses } from '@weir/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FaultStack, openFaultStack } from '../harness/fault-stack.js';
import { projectApiOf } from '../harness/project-api.js';
import { underLoad } from '../history/under-load.js';
import { seed } from './seed.js';

const services = ['access', 'variables', 'ingestion', 'observations', 'parsers', 'dashboards'] as const;
const links = ['postgres', 'nats', 'redis', ...services] as const;
/** What links of the stack lead to. */
type LinkName = (typeof links)[number];

/** Links that are at fault together, by what is at their far ends, and what is read over them. */
interface Row {
  readonly far: readonly LinkName[];
  readonly reads: readonly string[];
}

/** Nobody waits for these: points are admitted and records read without them. */
const unneeded: readonly LinkName[] = ['nats', 'redis'];
/** Points are admitted without these as well. */
const unneededToAdmit: readonly LinkName[] = [...unneeded, 'observations', 'parsers', 'dashboards'];

/** The reset ends what the black hole leaves dead, and until the last fault connections are made again, so that it has some to hurt. */
const faultsOf: readonly (readonly [Fault, ms: number])[] = [
  [{ kind: 'latency', ms: 500 }, 4000],
  [{ kind: 'black-hole' }, 4000],
  [{ kind: 'reset' }, 3000],
  [{ kind: 'none' }, 3000],
  [{ kind: 'half-open' }, 4000],
];
/** No answer to points takes longer, whatever link is at fault: the deadline of a request is 30 s, those of its calls are shorter. */
const answerMsMax = 16_000;
/** No read takes longer: an export may be silent for 30 s, after its names were read. */
const readMsMax = 45_000;

const proxies = new Map<LinkName, TcpProxy>();
const proxyOf = (name: LinkName): TcpProxy => proxies.get(name) as TcpProxy;
const through = (url: string, name: LinkName): string => {
  const parsed = new URL(url);
  proxyOf(name).target = parsed.host;
  parsed.host = proxyOf(name).address;
  return parsed.href;
};

let faults: FaultStack;

async function openLinks(): Promise<void> {
  for (const name of links) proxies.set(name, await startTcpProxy());
  const behind = await newAddresses();
  for (const name of services) proxyOf(name).target = behind[name];
  const addresses = Object.fromEntries(
    services.map((name) => [`${name.toUpperCase()}_ADDRESS`, proxyOf(name).address]),
  );
  faults = await openFaultStack({
    processors: 2,
    envOf: { gateway: addresses, processor: addresses },
    urlsOf: ({ databaseUrl, natsUrl, redisUrl }) => ({
      databaseUrl: through(databaseUrl, 'postgres'),
      natsUrl: through(natsUrl, 'nats'),
      redisUrl: through(redisUrl, 'redis'),
    }),
    addresses: behind,
  });
}

async function closeLinks(): Promise<void> {
  await faults?.[Symbol.asyncDispose]();
  for (const proxy of proxies.values()) await proxy[Symbol.asyncDispose]();
}

/** An answer to a read; `status` is 0 when it broke off or did not come in time. */
interface ReadAnswer {
  readonly status: number;
  readonly code: string | undefined;
  readonly retryAfterS: number;
  readonly tookMs: number;
}

async function read(url: string, key: string): Promise<ReadAnswer> {
  const beganMs = performance.now();
  const tookMs = (): number => performance.now() - beganMs;
  try {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(readMsMax) });
    const text = await answer.text();
    const code = answer.ok ? undefined : JSON.parse(text).error.code;
    return { status: answer.status, code, retryAfterS: Number(answer.headers.get('retry-after')), tookMs: tookMs() };
  } catch {
    return { status: 0, code: undefined, retryAfterS: 0, tookMs: tookMs() };
  }
}

/** Reads again and again, until a read that began after the faults is answered with 200. */
async function readUntilWell(url: string, key: string, over: AbortSignal): Promise<ReadAnswer[]> {
  const answers: ReadAnswer[] = [];
  for (;;) {
    const isLast = over.aborted;
    const answer = await read(url, key);
    answers.push(answer);
    if (isLast && answer.status === 200) return answers;
    await delay(100);
  }
}

async function hurt({ far, reads }: Row): Promise<void> {
  const begin = (fault: Fault): void => {
    for (const name of far) proxyOf(name).begin(fault);
  };
  const answersTo = new Map<string, readonly ReadAnswer[]>();
  const { history, ...verdict } = await underLoad(faults, seed, async ({ gatewayUrl, tenant }) => {
    const project = projectApiOf(gatewayUrl, tenant);
    const { items } = await project.done('GET', '/variables?limit=1');
    const over = new AbortController();
    const reading = reads.map(async (path) => {
      const url = `${gatewayUrl}/dev-api/v1/p/${tenant.projectId}${path.replace(/=$/, `=${items[0].id}`)}`;
      answersTo.set(path, await readUntilWell(url, tenant.developerKey, over.signal));
    });
    for (const [fault, ms] of faultsOf) {
      begin(fault);
      await delay(ms);
      begin({ kind: 'none' });
      await delay(500);
    }
    over.abort();
    // a connection between services that leads nowhere is left after 35 s; until then what is asked over it is refused
    await Promise.all(reading);
  });
  expect(verdict).toMatchObject({ violations: [], failed: 0 });
  const answers = history.sent.flatMap((request) => request.answers);
  expect(Math.max(...answers.map(({ sentMs, endedMs }) => endedMs - sentMs))).toBeLessThan(answerMsMax);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.filter(({ status, retryAfterS = 0 }) => status !== 503 || retryAfterS < 1)).toEqual([]);
  if (far.every((name) => unneededToAdmit.includes(name))) expect(verdict.refused).toBe(0);
  for (const [path, read] of answersTo) {
    const failures = read.filter(({ status }) => status !== 200);
    // what has begun to be exported can only break off
    const isTold = ({ status, code, retryAfterS }: ReadAnswer): boolean =>
      (status === 503 && code === 'dependency_unavailable' && retryAfterS >= 1) ||
      (status === 0 && path.includes('/export'));
    expect(
      failures.filter((failure) => !isTold(failure)),
      path,
    ).toEqual([]);
    expect(Math.max(...read.map(({ tookMs }) => tookMs)), path).toBeLessThan(readMsMax);
    expect(failures.length > 0, path).toBe(!far.every((name) => unneeded.includes(name)));
  }
}

/** J8: hurts the links of each row in every way, one after the other. A file has some of the rows, so that others have theirs meanwhile. */
export function testLinks(rows: readonly Row[]): void {
  beforeAll(openLinks);
  afterAll(closeLinks);
  test.each(rows.map((row) => ({ ...row, name: row.far.join(', ') })))(
    `J8: the link to $name is slow, a black hole, reset, half open (FAULT_SEED=${seed})`,
    hurt,
  );
}
