import { openBench } from '../bench.js';
import { Load } from '../load.js';
import { startInfluxDb } from '../peers/influxdb.js';
import { startVictoriaMetrics } from '../peers/victoria-metrics.js';
import { type Family, quotient, type Round, type Trial } from '../ratio.js';
import { loneWarmUp, WriteLoad } from '../write-load.js';

const send = { variables: 1, durationMs: 3000 };
const batches = { ...send, perRequest: 1000, connections: 8 };
const lone = { ...send, perRequest: 1, connections: 64 };

const beside = (kind: 'batches' | 'lone points', peer: string) => (round: Round) =>
  quotient(
    round[`${kind}, Weir`]?.['sustainedPointsPerSecond'],
    round[`${kind}, ${peer}`]?.['sustainedPointsPerSecond'],
  );

/** Writes beside databases that keep no run per point, no key of a request and no catalog: what those promises cost. */
export const peerWrites: Family = {
  name: 'writes beside other databases',
  ratios: [
    {
      id: 'W6',
      what: 'points stored, batches of 1,000, 8 at once, ÷ by InfluxDB',
      goal: 0.18,
      stretch: 0.3,
      of: beside('batches', 'InfluxDB'),
    },
    {
      id: 'W7',
      what: 'points stored, 1 a request, 64 at once, ÷ by InfluxDB',
      goal: 0.2,
      stretch: 0.3,
      of: beside('lone points', 'InfluxDB'),
    },
    { id: 'W6V', what: 'as W6, ÷ by VictoriaMetrics', of: beside('batches', 'VictoriaMetrics') },
    { id: 'W7V', what: 'as W7, ÷ by VictoriaMetrics', of: beside('lone points', 'VictoriaMetrics') },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const influx = await startInfluxDb();
    if (influx !== undefined) opening.use(influx);
    const victoria = await startVictoriaMetrics();
    if (victoria !== undefined) opening.use(victoria);
    const trials: Record<string, Trial> = {};
    if (influx !== undefined || victoria !== undefined) {
      const load = opening.use(new Load());
      const writes = new WriteLoad(opening.use(await openBench()), load);
      await writes.run({ ...batches, bodies: 40 });
      await writes.run(loneWarmUp);
      trials['batches, Weir'] = () => writes.run({ ...batches, bodies: 1000 });
      if (influx) trials['batches, InfluxDB'] = () => influx.writes.run(load, { ...batches, bodies: 2500 });
      if (victoria) trials['batches, VictoriaMetrics'] = () => victoria.writes.run(load, { ...batches, bodies: 5000 });
      trials['lone points, Weir'] = () => writes.run({ ...lone, bodies: 40_000 });
      if (influx) trials['lone points, InfluxDB'] = () => influx.writes.run(load, { ...lone, bodies: 100_000 });
      if (victoria)
        trials['lone points, VictoriaMetrics'] = () => victoria.writes.run(load, { ...lone, bodies: 200_000 });
    }
    const open = opening.move();
    return { trials, [Symbol.asyncDispose]: () => open.disposeAsync() };
  },
};
