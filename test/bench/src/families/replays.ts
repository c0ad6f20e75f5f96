import { openBench } from '../bench.js';
import { Load } from '../load.js';
import { type Family, quotient } from '../ratio.js';
import { WriteLoad } from '../write-load.js';

const send = { perRequest: 1000, variables: 1, connections: 8 } as const;
const batches = 200;

/** Requests that are sent again under their keys, as a device does that lost the answer. */
export const replays: Family = {
  name: 'replays',
  ratios: [
    {
      id: 'W8',
      what: 'batches answered again ÷ batches accepted',
      goal: 1.4,
      stretch: 2,
      of: (r) => quotient(r['replayed and fresh']?.['replaysPerSecond'], r['replayed and fresh']?.['freshPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench());
    const writes = new WriteLoad(bench, opening.use(new Load()));
    await writes.run({ ...send, bodies: 40 });
    const both = async () => {
      const fresh = await writes.accept({ ...send, bodies: batches });
      await bench.drained();
      const again = await writes.replay({ ...send, bodies: batches }, fresh.keyPrefix, fresh.requests);
      await bench.drained();
      // a replay that made a run would be one too many
      await writes.check();
      return {
        freshPerSecond: (fresh.requests / fresh.elapsedMs) * 1000,
        replaysPerSecond: (again.requests / again.elapsedMs) * 1000,
      };
    };
    const open = opening.move();
    return { trials: { 'replayed and fresh': both }, [Symbol.asyncDispose]: () => open.disposeAsync() };
  },
};
