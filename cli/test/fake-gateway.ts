import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A file as it arrived. */
interface Received {
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** What the gateway answers next: a status and a body, or nothing at all. */
type Answer = { readonly status: number; readonly body: unknown; readonly retryAfter?: string } | 'break';

const counts = { rows: 2, points: 2, errors: 0, missing: 0, skipped: 0 };

/** The answer for a file that was read; `bad` of its rows were not. */
export function read(bad = 0): Answer {
  const run = {
    run_id: '019c13a1-1200-7000-8000-2c7c11004a00',
    kind: 'file',
    state: bad > 0 ? 'partially_succeeded' : 'succeeded',
    attempts: 1,
    error: null,
    counts: { ...counts, errors: bad },
    row_errors: Array.from({ length: bad }, (_, i) => ({
      line: i + 2,
      column: 3,
      code: 'not_a_number',
      message: 'This is no number.',
      raw: 'x',
    })),
  };
  return { status: 200, body: { request_id: 'x', data: { run } } };
}

/** A refusal. */
export function refuse(status: number, code: string, retryAfter?: string): Answer {
  const body = { request_id: 'x', error: { code, message: `It is ${code}.`, details: [] } };
  return { status, body, ...(retryAfter === undefined ? {} : { retryAfter }) };
}

/** A gateway that takes files alone, and answers what a test says; by itself it knows keys that it has seen. */
export async function fakeGateway() {
  const received: Received[] = [];
  const answers: Answer[] = [];
  let replays = 0;
  const server = createServer();
  server.on('checkContinue', (request, response) => {
    void (async () => {
      const query = new URL(request.url ?? '', 'http://x').searchParams;
      const answer = answers.shift() ?? read();
      const isKnown = received.some((file) => file.headers['idempotency-key'] === request.headers['idempotency-key']);
      if (answer === 'break') return request.socket.destroy();
      if (isKnown) replays++;
      else if (answer.status === 200) {
        response.writeContinue();
        const bytes = await buffer(request);
        const text = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString();
        received.push({ query, headers: request.headers, text });
      }
      const { status, retryAfter } = answer;
      const headers = { 'content-type': 'application/json', connection: 'close' };
      response.writeHead(status, retryAfter === undefined ? headers : { ...headers, 'retry-after': retryAfter });
      return response.end(JSON.stringify(answer.body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    env: { WEIR_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, WEIR_INGEST_KEY: 'weir_ing_test' },
    received,
    answers,
    get replays() {
      return replays;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
