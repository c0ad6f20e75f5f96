import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { reading } from '../harness/points.js';
import { connectRaw, openFilesMax, type RawConnection } from '../harness/raw-connections.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant, type Tenant } from '../harness/tenant.js';

/** So low that ten times of it can be asked for on a machine with other work too. */
const limit = { perSecond: 20, burst: 20 };
const overloadS = 10;
const requestTimeoutS = 15;
const sendTimeoutS = 5;
/** The slowest that a long answer may be taken. */
const takenBytesPerSecond = 65_536;
/** What a gateway gets of memory from the chart unless told otherwise. */
const memoryBytesMax = 512 * 1024 * 1024;
/** The default of CONNECTIONS_MAX. */
const connectionsMax = 10_000;
const slowConnections = 500;
/** Fewer, for the kernel keeps some megabytes for each until it is read. */
const unreadConnections = 100;
const stalledUploads = 60;
/** The default of INGEST_BODY_BYTES_MAX. */
const bodyBytesMax = 16 * 1024 * 1024;
/** Files and connections that this process needs beside those that it holds. */
const spareFiles = 1500;

let stack: TestStack;
beforeAll(async () => {
  stack = await openTestStack({
    replicas: 3,
    envOf: {
      gateway: {
        LIMIT_DEVELOPER_REQUESTS_PER_SECOND: String(limit.perSecond),
        LIMIT_DEVELOPER_REQUESTS_BURST: String(limit.burst),
        REQUEST_TIMEOUT_MS: String(requestTimeoutS * 1000),
        SEND_TIMEOUT_MS: String(sendTimeoutS * 1000),
        LIMIT_PUBLIC_REQUESTS_BURST: '1000000',
        // longer than thousands of connections take to come
        KEEP_ALIVE_TIMEOUT_MS: '600000',
      },
    },
  });
});
afterAll(() => stack?.[Symbol.asyncDispose]());

/** A small request of a key at a gateway. */
async function ask(gatewayUrl: string, { developerKey }: Tenant): Promise<Response> {
  const answer = await fetch(new URL('/dev-api/v1/permissions', gatewayUrl), {
    headers: { authorization: `Bearer ${developerKey}` },
  });
  await answer.arrayBuffer();
  return answer;
}

/** Asks every gateway in turn, at half the limit, until it is told to stop. */
async function askSteadily(tenant: Tenant, stop: AbortSignal): Promise<number[]> {
  const statuses: number[] = [];
  for (let asked = 0; !stop.aborted; asked++) {
    const url = stack.gatewayUrls[asked % stack.gatewayUrls.length] as string;
    statuses.push((await ask(url, tenant)).status);
    await delay(2000 / limit.perSecond);
  }
  return statuses;
}

/** Whether another key is answered as always while something happens to the gateways. */
async function whileServing(work: () => Promise<void>): Promise<void> {
  const other = await createTenant(stack.addresses.access);
  const stop = new AbortController();
  const asking = askSteadily(other, stop.signal);
  try {
    await work();
  } finally {
    stop.abort();
  }
  const statuses = await asking;
  expect(statuses.length).toBeGreaterThan(20);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
}

/** The beginning of an ingest request with a body of so many bytes. */
function ingestHead({ ingestionKey }: Tenant, length: number): string {
  return `POST /v1/ingest HTTP/1.1\r\nHost: weir\r\nX-API-Key: ${ingestionKey}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

/** Whether the gateway that everything came to never had more memory than it may have. */
async function expectMemoryWithinBounds(after: string): Promise<void> {
  const residentBytes = await stack.residentBytesMax('gateway');
  process.stdout.write(`${after}: ${Math.round(residentBytes / 2 ** 20)} MiB\n`);
  expect(residentBytes).toBeLessThan(memoryBytesMax);
}

/** How often gateways took Redis for away: where it cannot answer in time, each limits by itself for a moment. */
async function timesAway(): Promise<number> {
  // lines are written together, a moment later
  await delay(300);
  const names = ['gateway', 'gateway-2', 'gateway-3'];
  const logs = await Promise.all(names.map((name) => readFile(join(stack.logDirectory, `${name}.log`), 'utf8')));
  return logs.join().split('redis is away').length - 1;
}

/** Asks three gateways for as much as they can answer. */
async function overload(tenant: Tenant) {
  const refused: Response[] = [];
  let admitted = 0;
  let firstAnsweredMs = Number.POSITIVE_INFINITY;
  let lastAskedMs = 0;
  const beganMs = performance.now();
  const callers = Array.from({ length: 36 }, async (_, at) => {
    const url = stack.gatewayUrls[at % stack.gatewayUrls.length] as string;
    while (performance.now() - beganMs < overloadS * 1000) {
      lastAskedMs = performance.now();
      const answer = await ask(url, tenant);
      firstAnsweredMs = Math.min(firstAnsweredMs, performance.now());
      if (answer.status === 200) admitted++;
      else refused.push(answer);
    }
  });
  await Promise.all(callers);
  return { admitted, refused, mostMs: performance.now() - beganMs, leastMs: lastAskedMs - firstAnsweredMs };
}

test('S10: of ten times its limit at three gateways a key gets its limit and its burst, and what it is told to wait is enough', async () => {
  await whileServing(async () => {
    let tenant: Tenant;
    let asked: Awaited<ReturnType<typeof overload>>;
    let before: number;
    let tries = 0;
    do {
      tenant = await createTenant(stack.addresses.access);
      before = await timesAway();
      asked = await overload(tenant);
    } while ((await timesAway()) > before && ++tries < 4);
    process.stdout.write(`gateways took Redis for away in ${tries} tries before this one\n`);
    const { admitted, refused, mostMs, leastMs } = asked;
    expect(admitted + refused.length).toBeGreaterThan(10 * limit.perSecond * overloadS);
    // tokens come from the first that was taken, whenever that was, until the last that was asked for
    const allowedIn = (ms: number): number => limit.burst + (limit.perSecond * ms) / 1000;
    expect(admitted).toBeGreaterThan(0.98 * allowedIn(leastMs));
    expect(admitted).toBeLessThan(1.02 * allowedIn(mostMs));
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([429]));
    for (const { headers } of refused) {
      expect(headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
      expect(headers.get('ratelimit')).toMatch(/^"requests";r=0;t=[0-9]+$/);
      expect(headers.get('ratelimit-policy')).toBe('"requests";q=20;w=1');
    }
    for (const url of stack.gatewayUrls) {
      let last = await ask(url, tenant);
      while (last.status === 200)
        last = (await Promise.all(Array.from({ length: 20 }, () => ask(url, tenant)))).at(-1) ?? last;
      await delay(Number(last.headers.get('retry-after')) * 1000);
      expect((await ask(url, tenant)).status).toBe(200);
    }
  });
});

test('S13: five hundred connections whose headers or bodies drip are ended in time, and others are served', async () => {
  const tenant = await createTenant(stack.addresses.access);
  const url = stack.gatewayUrl;
  const head = ingestHead(tenant, 1000);
  await whileServing(async () => {
    const slow = Array.from({ length: slowConnections }, async (_, at) => {
      const connection = await connectRaw(url);
      connection.socket.write(at % 2 === 0 ? head : 'GET / HTTP/1.1\r\nX-A: ');
      let sent = 0;
      const dripping = setInterval(() => {
        sent++;
        connection.socket.write('G');
      }, 1000);
      await connection.closed;
      clearInterval(dripping);
      return { sent, status: /^HTTP\/1\.1 ([0-9]+)/.exec(connection.received())?.[1] };
    });
    const ended = await Promise.all(slow);
    // a byte a second: they would have gone on for a thousand
    expect(Math.max(...ended.map(({ sent }) => sent))).toBeLessThan(2 * requestTimeoutS);
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['408']));
  });
});

test('S13: connections that ask for the document and take nothing of it, or little, are ended in time, and others are served', async () => {
  const documentUrl = new URL('/dev-api/v1/openai.json', stack.gatewayUrl);
  const answerBytes = (await (await fetch(documentUrl)).arrayBuffer()).byteLength;
  const asked = 20;
  const endedInS = sendTimeoutS + answerBytes / takenBytesPerSecond;
  await whileServing(async () => {
    const unread = Array.from({ length: unreadConnections }, async (_, at) => {
      const connection = await connectRaw(stack.gatewayUrl);
      const { socket } = connection;
      socket.write(`GET ${documentUrl.pathname} HTTP/1.1\r\nHost: weir\r\n\r\n`.repeat(asked));
      socket.pause();
      // half as much as must be taken
      const taking = setInterval(() => {
        if (at % 2 === 0) socket.once('data', () => socket.pause()).resume();
      }, 2000);
      // one answer after the other: what the kernel takes for the client is taken
      await delay(2000 * endedInS);
      clearInterval(taking);
      // only who reads sees that the connection was reset
      socket.resume();
      const isEnded = await Promise.race([connection.closed.then(() => true), delay(5000, false)]);
      socket.destroy();
      return { isEnded, isWhole: connection.received().length >= asked * answerBytes };
    });
    for (const one of await Promise.all(unread)) expect(one).toEqual({ isEnded: true, isWhole: false });
  });
  await expectMemoryWithinBounds(`${unreadConnections} connections took nothing of ${asked} documents`);
});

test('S13: uploads of three keys that stall take a bound of memory, and others are served, with large bodies too', async () => {
  const tenants = await Promise.all(Array.from({ length: 3 }, () => createTenant(stack.addresses.access)));
  const other = await createTenant(stack.addresses.access);
  const most = Buffer.alloc(bodyBytesMax - 1, ' ');
  await whileServing(async () => {
    const uploads = Array.from({ length: stalledUploads }, async (_, at) => {
      const connection = await connectRaw(stack.gatewayUrl);
      connection.socket.write(ingestHead(tenants[at % tenants.length] as Tenant, bodyBytesMax));
      connection.socket.write(most);
      await connection.closed;
      return /^HTTP\/1\.1 ([0-9]+)/.exec(connection.received())?.[1];
    });
    await delay((requestTimeoutS * 1000) / 3);
    const answer = await fetch(new URL('/v1/ingest', stack.gatewayUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': other.ingestionKey },
      body: `${' '.repeat(bodyBytesMax / 2)}${JSON.stringify({ data: [reading('Gauge', 0, 1)] })}`,
    });
    expect(answer.status).toBe(200);
    const statuses = await Promise.all(uploads);
    expect(new Set(statuses)).toEqual(new Set(['408', '503']));
    expect(statuses.filter((status) => status === '408').length).toBeLessThan(stalledUploads / 4);
  });
  await expectMemoryWithinBounds(`${stalledUploads} uploads stalled`);
});

test('connections that are only held shut nobody out, and take no more memory than there is', async () => {
  const wanted = Math.min(100_000, openFilesMax() - spareFiles);
  expect(wanted).toBeGreaterThan(connectionsMax);
  const held: RawConnection[] = [];
  let ended = 0;
  try {
    await whileServing(async () => {
      while (held.length < wanted) {
        const some = await Promise.all(
          Array.from({ length: 250 }, (_, at) => connectRaw(stack.gatewayUrl, held.length + at)),
        );
        for (const connection of some) {
          void connection.closed.then(() => ended++);
          // one that was answered stays open for longer than one that never asked
          connection.socket.write('GET /livez HTTP/1.1\r\nHost: weir\r\n\r\n');
        }
        held.push(...some);
      }
      while (held.length - ended > connectionsMax) await delay(50);
      await delay(2000);
      expect(held.length - ended).toBeGreaterThan(connectionsMax - 100);
      // new ones are served still, one after the other
      for (let i = 0; i < 100; i++) {
        const connection = await connectRaw(stack.gatewayUrl);
        connection.socket.write('GET /livez HTTP/1.1\r\nHost: weir\r\nConnection: close\r\n\r\n');
        await connection.closed;
        expect(connection.received()).toMatch(/^HTTP\/1\.1 200 /);
      }
    });
  } finally {
    for (const { socket } of held) socket.destroy();
  }
  await expectMemoryWithinBounds(`${held.length} connections came, ${connectionsMax} stayed`);
});
