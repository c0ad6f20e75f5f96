import { connect, type Socket } from 'node:net';
import { openBench } from '../bench.js';
import { Load, percentile } from '../load.js';
import { type Family, quotient } from '../ratio.js';

const durationMs = 10_000;
/** A key that is within its limit, whose answers are measured. */
const calmPerSecond = 100;
/** So low that ten times of it is what a core can refuse beside its work: what is judged is whose requests wait, not how fast the machine is. */
const limitPerSecond = 20;
const gateways = 3;
const slowConnections = 500;

/** Connections on which a byte a second comes, made anew when they are ended. */
function openSlowConnections(origin: string): Disposable {
  const { hostname: host, port } = new URL(origin);
  const sockets = new Set<Socket>();
  let isOver = false;
  const open = (): void => {
    const socket = connect({ host, port: Number(port) });
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nX-A: ');
    const dripping = setInterval(() => socket.write('G'), 1000);
    socket.resume().once('close', () => {
      clearInterval(dripping);
      sockets.delete(socket);
      if (!isOver) open();
    });
  };
  for (let i = 0; i < slowConnections; i++) open();
  return {
    [Symbol.dispose]() {
      isOver = true;
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** What others feel of a key that goes far beyond its limit, and of connections that drip. */
export const hostile: Family = {
  name: 'hostile',
  isLong: true,
  ratios: [
    {
      id: 'S10',
      what: "99th percentile of a key's answers while another sends ten times its limit ÷ alone",
      goal: 1.2,
      isLowerBetter: true,
      of: (r) => quotient(r['beside ten times the limit']?.['p99Ms'], r['alone']?.['p99Ms']),
    },
    {
      id: 'S10X',
      what: "99th percentile of a key's answers while another sends fifty times its limit ÷ alone",
      isLowerBetter: true,
      of: (r) => quotient(r['beside fifty times the limit']?.['p99Ms'], r['alone']?.['p99Ms']),
    },
    {
      id: 'S13',
      what: "99th percentile of a key's answers while 500 connections send a byte a second ÷ alone",
      goal: 1.5,
      isLowerBetter: true,
      of: (r) => quotient(r['beside slow connections']?.['p99Ms'], r['alone']?.['p99Ms']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(
      await openBench({
        replicas: gateways,
        envOf: {
          gateway: {
            LIMIT_DEVELOPER_REQUESTS_PER_SECOND: String(limitPerSecond),
            LIMIT_DEVELOPER_REQUESTS_BURST: String(limitPerSecond),
          },
        },
      }),
    );
    const calm = opening.use(new Load());
    const noisy = bench.stack.gatewayUrls.map((origin) => ({ origin, load: opening.use(new Load()) }));
    const measure = async (ms = durationMs) => {
      const { latencies } = await calm.run({
        origin: bench.origin,
        path: '/v1/ingest/runs',
        headers: bench.ingestionHeaders,
        connections: 16,
        perSecond: calmPerSecond,
        durationMs: ms,
      });
      return { p50Ms: percentile(latencies, 0.5), p99Ms: percentile(latencies, 0.99) };
    };
    const attacked = async (times: number, ms = durationMs) => {
      const order = {
        path: '/dev-api/v1/permissions',
        headers: bench.developerHeaders,
        connections: 32,
        perSecond: (times * limitPerSecond) / noisy.length,
        durationMs: ms,
      };
      const attacks = noisy.map(({ origin, load }) => load.run({ origin, ...order }, [200, 429]));
      const measured = await measure(ms);
      const results = await Promise.all(attacks);
      const perSecond = (status: number): number =>
        results.reduce((sum, { statuses, elapsedMs }) => sum + ((statuses[status] ?? 0) / elapsedMs) * 1000, 0);
      return { ...measured, admittedPerSecond: perSecond(200), refusedPerSecond: perSecond(429) };
    };
    const dripped = async () => {
      using _slow = openSlowConnections(bench.origin);
      return await measure();
    };
    // everything has been used once
    await attacked(50, 2000);
    const open = opening.move();
    return {
      trials: {
        alone: () => measure(),
        'beside ten times the limit': () => attacked(10),
        'beside fifty times the limit': () => attacked(50),
        'beside slow connections': dripped,
      },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
