import { type PeerProgram, startPeer, textOf } from './peer.js';
import { PeerWrites } from './peer-writes.js';

const program: PeerProgram = {
  name: 'influxdb',
  program: 'influxd',
  portCount: 2,
  optionsOf: (directory, [port, rpcPort]) => ({
    // no file of the machine's: its defaults, but for where things are
    args: ['run', '-config', '/dev/null'],
    env: {
      INFLUXDB_META_DIR: `${directory}/meta`,
      INFLUXDB_DATA_DIR: `${directory}/data`,
      INFLUXDB_DATA_WAL_DIR: `${directory}/wal`,
      INFLUXDB_HTTP_BIND_ADDRESS: `127.0.0.1:${port}`,
      INFLUXDB_BIND_ADDRESS: `127.0.0.1:${rpcPort}`,
      INFLUXDB_REPORTING_ENABLED: 'false',
    },
  }),
};

interface QueryAnswer {
  readonly results: readonly {
    readonly series?: readonly { readonly values: readonly (readonly (number | null)[])[] }[];
    readonly error?: string;
  }[];
}

/** A private InfluxDB 1, by default as durable as Weir: it syncs its log before it answers a write. */
export interface InfluxDb extends AsyncDisposable {
  readonly writes: PeerWrites;
  /** Rows that a query gives, instants in milliseconds. */
  query(text: string): Promise<readonly (readonly (number | null)[])[]>;
  /** Writes lines of its protocol, instants in milliseconds. */
  write(lines: string): Promise<void>;
}

/** Starts one; undefined where it is not installed. */
export async function startInfluxDb(): Promise<InfluxDb | undefined> {
  const peer = await startPeer(program);
  if (peer === undefined) return undefined;
  const { origin } = peer;
  const writePath = '/write?db=bench&precision=ms';
  const query = async (q: string) => {
    const text = await textOf(`${origin}/query`, {
      method: 'POST',
      body: new URLSearchParams({ db: 'bench', epoch: 'ms', q }),
    });
    const [result] = (JSON.parse(text) as QueryAnswer).results;
    if (result?.error !== undefined) throw new Error(`${q}: ${result.error}`);
    return result?.series?.[0]?.values ?? [];
  };
  await query('create database bench');
  return {
    writes: new PeerWrites(origin, writePath, async () => {
      const [row] = await query('select count(variable_0) from observations');
      return row?.[1] ?? 0;
    }),
    query,
    async write(lines) {
      await textOf(`${origin}${writePath}`, { method: 'POST', body: lines });
    },
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
