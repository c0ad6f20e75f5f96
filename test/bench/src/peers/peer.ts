import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram, freePorts, startProgram } from '@weir/stack';

/** Another time-series database: what it is called, and what it is started with. */
export interface PeerProgram {
  readonly name: string;
  /** Its program, which is looked for on the PATH. */
  readonly program: string;
  readonly portCount: number;
  /** Arguments and environment for data below a folder, which listens on the first port. */
  readonly optionsOf: (
    directory: string,
    ports: readonly number[],
  ) => { readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> };
}

/** One that runs, with data of its own. Disposing stops it and deletes them. */
export interface RunningPeer extends AsyncDisposable {
  readonly origin: string;
}

/** Starts a peer with its default durability; undefined where it is not installed. */
export async function startPeer(peer: PeerProgram): Promise<RunningPeer | undefined> {
  const file = findProgram(peer.program);
  if (file === undefined) return undefined;
  await using opening = new AsyncDisposableStack();
  const directory = mkdtempSync(join(process.env['WEIR_DATA_DIR'] ?? tmpdir(), `${peer.name}-`));
  opening.defer(() => rmSync(directory, { recursive: true }));
  const ports = await freePorts(peer.portCount);
  const port = ports[0] as number;
  opening.use(await startProgram({ ...peer.optionsOf(directory, ports), name: peer.name, file, port, directory }));
  const open = opening.move();
  return { origin: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

/** The text of an answer. @throws Error when it is no success */
export async function textOf(url: string, init: RequestInit = {}): Promise<string> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${text}`);
  return text;
}
