import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Started } from '../lifecycle/index.js';
import { prometheusText } from './prometheus.js';

/** Where Prometheus finds the metrics of this process. */
export interface MetricsEndpoint extends Started {
  readonly url: string;
}

/**
 * Answers `GET /metrics` in Prometheus' text format, on a port of its own: what scrapes needs no key, and clients do not
 * come there.
 *
 * @param address - host:port; port 0 takes a free one
 */
export async function startMetricsEndpoint(address: string): Promise<MetricsEndpoint> {
  const server = createServer((request, response) => {
    if (request.url?.split('?', 1)[0] !== '/metrics') {
      response.writeHead(404, { 'Content-Type': 'text/plain' }).end('Metrics are at /metrics.\n');
      return;
    }
    prometheusText().then(
      (text) => response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text),
      (error: unknown) => response.writeHead(500).end(`${String(error)}\n`),
    );
  });
  const at = address.lastIndexOf(':');
  const host = address.slice(0, at).replace(/^\[(.*)\]$/, '$1');
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(Number(address.slice(at + 1)), host, resolve);
  });
  return {
    url: `http://${host}:${(server.address() as AddressInfo).port}/metrics`,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
