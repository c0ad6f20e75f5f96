import { setTimeout as delay } from 'node:timers/promises';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { Logger } from '../log/index.js';

const connectTimeoutMs = 5000;
const reconnectMs = 250;
/** A connection that leads nowhere is left after so many pings; the client's own default takes six minutes to notice. */
const pingIntervalMs = 5000;
const pingsUnansweredMax = 2;

/** Demands encryption. The client tells TLS no name where a server is told by its address, and then that of this machine is looked for. */
function encryptedAs(hostname: string) {
  return { handshakeFirst: false, host: hostname.replace(/^\[|\]$/g, '') };
}

/** Logs why there is no NATS: once for each reason, however often it is tried. */
class Reasons {
  readonly #log: Logger | undefined;
  readonly #told = new Set<string>();

  constructor(log: Logger | undefined) {
    this.#log = log;
  }

  tell(error: Error): void {
    if (this.#told.has(error.message)) return;
    this.#told.add(error.message);
    this.#log?.warn({ err: error }, 'NATS cannot be used; it is tried again');
  }

  forget(): void {
    this.#told.clear();
  }
}

/**
 * Connects to NATS and stays: it reconnects for ever, and waits for a server that comes later. So it does where its
 * password is refused, which may be that of a server that is about to be changed.
 *
 * @param waiting - `log` is told why it must wait, and it waits until `signal` aborts, with whose reason it rejects
 */
export async function connectNats(
  url: string,
  name: string,
  { log, signal }: { readonly log?: Logger; readonly signal?: AbortSignal } = {},
): Promise<NatsConnection> {
  const { protocol, username, password, host, hostname } = new URL(url);
  const reasons = new Reasons(log);
  for (;;) {
    try {
      return await connect({
        servers: host,
        name,
        maxReconnectAttempts: -1,
        // by default the second refusal is the end of the connection, though months lie between them
        ignoreAuthErrorAbort: true,
        reconnectTimeWait: reconnectMs,
        timeout: connectTimeoutMs,
        pingInterval: pingIntervalMs,
        maxPingOut: pingsUnansweredMax,
        // an error made before each request, should it fail, is much of what publishing costs
        noAsyncTraces: true,
        ...(protocol === 'tls:' && { tls: encryptedAs(hostname) }),
        ...(username === '' ? {} : { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
      });
    } catch (error) {
      reasons.tell(error as Error);
      await delay(reconnectMs);
      signal?.throwIfAborted();
    }
  }
}

/** Follows a connection to its end: logs when and why the server is away, and says when it goes and comes. */
export async function followNats(
  connection: NatsConnection,
  log: Logger,
  onChange: (isConnected: boolean) => void,
): Promise<void> {
  const reasons = new Reasons(log);
  let isConnected = true;
  // each refusal is told as one more time that it went, and the end of them as often as that it came
  for await (const status of connection.status()) {
    if (status.type === 'error') reasons.tell(status.error);
    else if (status.type === 'disconnect' && isConnected) {
      isConnected = false;
      log.warn('NATS is away');
      onChange(false);
    } else if (status.type === 'reconnect' && !isConnected) {
      isConnected = true;
      reasons.forget();
      log.info('NATS is back');
      onChange(true);
    }
  }
}
