import type { Socket } from 'node:net';
import pg from 'pg';

/** The database closes a connection that asks for a cancel at once; one that does not is given up. */
const timeoutMs = 5000;

/** What pg knows of a connection, and its types do not tell. */
interface Connected {
  readonly host: string;
  readonly port: number;
  readonly processID: number;
  readonly secretKey: number;
  readonly connection: pg.Connection & { readonly ssl: unknown; readonly sslNegotiation: string };
}

/** A connection of pg, with what its types leave out. */
interface Connection extends pg.Connection {
  connect(portOrPath: number | string, host?: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/**
 * Asks the database to end the statement that a connection runs, over a connection of its own that is encrypted where that
 * one is. It may come too late and hit the next statement instead, so a connection is not used again afterwards.
 */
export function cancelStatement(client: pg.PoolClient): void {
  const { host, port, processID, secretKey, connection } = client as unknown as Connected;
  const { ssl, sslNegotiation } = connection;
  const asking = new pg.Connection({ ssl, sslNegotiation } as pg.ConnectionConfig) as Connection;
  const plain = asking.stream as Socket;
  plain.setTimeout(timeoutMs, () => plain.destroy());
  // a database that is away has no statement to end
  asking.on('error', () => plain.destroy());
  if (ssl && sslNegotiation !== 'direct') asking.once('connect', () => asking.requestSsl());
  asking.once(ssl ? 'sslconnect' : 'connect', () => asking.cancel(processID, secretKey));
  if (host.startsWith('/')) asking.connect(`${host}/.s.PGSQL.${port}`);
  else asking.connect(port, host);
}
