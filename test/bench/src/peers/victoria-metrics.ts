import { type PeerProgram, startPeer, textOf } from './peer.js';
import { PeerWrites } from './peer-writes.js';

const program: PeerProgram = {
  name: 'victoria-metrics',
  program: 'victoria-metrics',
  portCount: 1,
  optionsOf: (directory, [port]) => ({
    args: [`-storageDataPath=${directory}/data`, `-httpListenAddr=127.0.0.1:${port}`, '-retentionPeriod=100y'],
  }),
};

/** A private VictoriaMetrics: it answers from memory, and loses what it has not flushed when it is killed. */
export interface VictoriaMetrics extends AsyncDisposable {
  readonly writes: PeerWrites;
}

/** Starts one; undefined where it is not installed. */
export async function startVictoriaMetrics(): Promise<VictoriaMetrics | undefined> {
  const peer = await startPeer(program);
  if (peer === undefined) return undefined;
  const { origin } = peer;
  return {
    writes: new PeerWrites(origin, '/write?precision=ms', async () => {
      await textOf(`${origin}/internal/force_flush`);
      const query = new URLSearchParams({ query: 'sum(count_over_time(observations_variable_0[10y]))' });
      const text = await textOf(`${origin}/api/v1/query?${query}`);
      const { data } = JSON.parse(text) as { data: { result: readonly { readonly value: [number, string] }[] } };
      return Number(data.result[0]?.value[1] ?? 0);
    }),
    [Symbol.asyncDispose]: () => peer[Symbol.asyncDispose](),
  };
}
