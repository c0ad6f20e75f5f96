import { connect } from 'node:net';
import type pg from 'pg';

/** The code of a CancelRequest in PostgreSQL's protocol. */
const cancelRequest = 80_877_102;
/** The database closes a connection that asks for a cancel at once; one that does not is given up. */
const timeoutMs = 5000;

/** What pg knows of a connection's backend, and its types do not tell. */
interface Backend {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
}

/**
 * Asks the database to end the statement that a connection runs, over a connection of its own. It may come
 * too late and hit the next statement instead, so a connection is not used again afterwards.
 */
export function cancelStatement(client: pg.PoolClient): void {
  const { host, port, processID, secretKey } = client as unknown as Backend;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16);
  request.writeInt32BE(cancelRequest, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(timeoutMs, () => socket.destroy());
  // a database that is away has no statement to end
  socket.on('error', () => socket.destroy());
  socket.end(request);
}
