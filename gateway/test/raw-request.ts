import { connect } from 'node:net';

/** One answer as it came over the connection. */
export interface RawAnswered {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

function parseAnswers(bytes: Buffer): RawAnswered[] {
  const answers: RawAnswered[] = [];
  let rest = bytes.toString('latin1');
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd === -1) throw new Error(`half an answer: ${rest.slice(0, 200)}`);
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 ([0-9]{3}) /.exec(statusLine)?.[1]);
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const length = status === 100 ? 0 : Number(headers.get('content-length') ?? 0);
    const body = rest.slice(headEnd + 4, headEnd + 4 + length);
    answers.push({ status, headers, body: Buffer.from(body, 'latin1').toString('utf8') });
    rest = rest.slice(headEnd + 4 + length);
  }
  return answers;
}

/**
 * Sends bytes as they are, and reads until the server closes.
 *
 * @param parts - sent one after the other; a number waits so many milliseconds
 * @param half - closes the sending side after the last part
 */
export async function rawRequest(
  port: number,
  parts: readonly (string | Buffer | number)[],
  half = false,
): Promise<RawAnswered[]> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const ended = new Promise<void>((resolve, reject) => {
    socket.once('end', resolve);
    socket.once('close', () => resolve());
    socket.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve() : reject(error),
    );
  });
  for (const part of parts) {
    if (typeof part === 'number') await new Promise((resolve) => setTimeout(resolve, part));
    else socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
  }
  if (half) socket.end();
  await ended;
  socket.destroy();
  return parseAnswers(Buffer.concat(chunks));
}
