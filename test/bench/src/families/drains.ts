import { openBench } from '../bench.js';
import { Load } from '../load.js';
import { type Family, quotient } from '../ratio.js';
import { WriteLoad } from '../write-load.js';

const send = { perRequest: 1000, variables: 1, connections: 8, bodies: 400 } as const;

/** A backlog that processors work off with nothing else going on. */
export const drains: Family = {
  name: 'a backlog of 400,000 points',
  ratios: [
    {
      id: 'W11',
      what: 'points stored a second by 2 processors ÷ by 1',
      goal: 1.1,
      stretch: 1.3,
      of: (r) => quotient(r['2 processors']?.['pointsPerSecond'], r['1 processor']?.['pointsPerSecond']),
    },
  ],
  async open() {
    await using opening = new AsyncDisposableStack();
    const bench = opening.use(await openBench({ processors: 2 }));
    const writes = new WriteLoad(bench, opening.use(new Load()));
    await writes.run(send);
    const drain = async (processors: number) => {
      for (const name of ['processor-1', 'processor-2']) await bench.stack.kill(name);
      const { requests } = await writes.accept(send);
      for (let number = 1; number <= processors; number++) await bench.stack.restart(`processor-${number}`);
      const startedMs = performance.now();
      await bench.drained();
      const seconds = (performance.now() - startedMs) / 1000;
      for (let number = processors + 1; number <= 2; number++) await bench.stack.restart(`processor-${number}`);
      await writes.check();
      return { pointsPerSecond: (requests * send.perRequest) / seconds };
    };
    const open = opening.move();
    return {
      trials: { '1 processor': () => drain(1), '2 processors': () => drain(2) },
      [Symbol.asyncDispose]: () => open.disposeAsync(),
    };
  },
};
