import { unavailable } from '@weir/kit/errors';
import { newId } from '@weir/kit/ids';
import { openPool, sql } from '@weir/kit/sql';
import { RunState } from '@weir/proto/ingestion';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { variableIdBytes } from './test-catalog.js';
import { levelsOf, manyPoints, queuedBatch, startUs } from './test-points.js';
import { type TestBench, testBench } from './test-processor.js';

let bench: TestBench;
beforeEach(async () => {
  bench = await testBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

const level = () => bench.peers.catalog.key('Logger', 'level');
const after = (seconds: number) => startUs + seconds * 1_000_000;
const named = (...given: Parameters<typeof queuedBatch>) => queuedBatch(given[0], { publicId: newId(), ...given[1] });

describe('what a batch is stored under', () => {
  test('stores a batch again under the variables that it is stored under, whatever their names mean by then', async () => {
    const { catalog, runs } = bench.peers;
    const before = { renamed: catalog.key('Logger', 'level'), archived: catalog.key('Logger', 'pressure') };
    const points = manyPoints(100, startUs).map((point, i) => ({
      ...point,
      values: { ...point.values, pressure: i, 'variable_not_found/late': i },
    }));
    const batch = queuedBatch(points, { publicId: newId() });
    let completions = 0;
    runs.onComplete = () => {
      if (++completions > 1) return;
      catalog.rename('Logger', 'level');
      catalog.archived.add('pressure');
      throw new Error('the process dies here');
    };
    await using _ = await bench.start();
    await bench.publish([batch]);
    await bench.drained([batch]);
    expect(completions).toBe(2);
    // what was not stored is asked for again
    expect(catalog.requests.at(-1)?.instruments.map(({ variableNames }) => variableNames)).toEqual([
      ['variable_not_found/late'],
    ]);
    expect(catalog.key('Logger', 'level')).not.toBe(before.renamed);
    expect(await bench.stored(before.renamed)).toEqual(levelsOf(points));
    expect(await bench.stored(before.archived)).toHaveLength(100);
    expect(await bench.stored(catalog.key('Logger', 'level'))).toEqual([]);
    const outcome = runs.outcomes.get(batch.id);
    expect(outcome?.variableIds.subarray(0, 32)).toEqual(
      Buffer.concat([variableIdBytes(before.renamed), variableIdBytes(before.archived)]),
    );
    expect(bench.peers.runs.statesOf(batch.id)).toEqual(points.map(() => [RunState.PARTIALLY_SUCCEEDED, undefined]));

    // what was told is forgotten when others are stored
    const next = queuedBatch(manyPoints(1, startUs + 500_000_000), { publicId: newId() });
    await bench.publish([next]);
    await bench.drained([next]);
    expect(await bench.storedBatches()).toEqual([[batch.publicId], [next.publicId]]);
    expect(await bench.stored(catalog.key('Logger', 'level'))).toHaveLength(1);
  });

  test('says that what it has stored is stored, though the instrument of the rest be archived by then', async () => {
    const { catalog, runs } = bench.peers;
    const points = manyPoints(3, startUs).map(({ atUs, values }) => ({
      atUs,
      values: { 'variable_not_found/first': 1, ...values },
    }));
    const batch = queuedBatch(points, { publicId: newId() });
    let completions = 0;
    runs.onComplete = () => {
      if (++completions > 1) return;
      catalog.archived.add('Logger');
      catalog.generation++;
      throw new Error('the process dies here');
    };
    await using _ = await bench.start();
    await bench.publish([batch]);
    await bench.drained([batch]);
    expect(await bench.stored(level())).toEqual(levelsOf(points));
    expect(bench.peers.runs.statesOf(batch.id)).toEqual(points.map(() => [RunState.PARTIALLY_SUCCEEDED, undefined]));
  });

  test('is not asked of runs that an operator has queued again, but by those who try that again', async () => {
    const { catalog, runs } = bench.peers;
    const points = [
      { atUs: startUs, values: { level: 1 } },
      // too early at its admission, and not when it is retried
      { atUs: startUs + 2 * 86_400_000_000, values: { level: 2 } },
    ];
    const batch = named(points);
    const before = level();
    await using _ = await bench.start();
    await bench.publish([batch]);
    await bench.drained([batch]);
    expect(bench.peers.runs.statesOf(batch.id)).toEqual([[RunState.FAILED, 'timestamp_out_of_range']]);
    expect(await bench.storedBatches()).toEqual([[batch.publicId]]);

    catalog.rename('Logger', 'level');
    const renamed = level();
    const tries = Promise.withResolvers<void>();
    let completions = 0;
    runs.outcomes.delete(batch.id);
    runs.onComplete = () => {
      if (++completions > 1) return tries.resolve();
      catalog.rename('Logger', 'level');
      throw new Error('the process dies here');
    };
    const retry = { ...batch, epoch: 1, queuedEpoch: 1, indexes: [1] };
    await bench.publish([retry]);
    await tries.promise;
    await bench.drained([batch]);
    expect(await bench.stored(before)).toEqual([[startUs, 1]]);
    expect(await bench.stored(renamed)).toEqual([[points[1]?.atUs, 2]]);
    expect(await bench.stored(level())).toEqual([]);
  });

  test('is asked for by the names of the runs that are retried, and no others', async () => {
    const { catalog, runs } = bench.peers;
    const batch = named([
      { atUs: startUs, values: { first: 1 } },
      { atUs: startUs, values: { second: 2 } },
    ]);
    await using _ = await bench.start();
    await bench.publish([{ ...batch, epoch: 1, queuedEpoch: 1, indexes: [1] }]);
    await bench.drained([batch]);
    const asked = catalog.requests.flatMap(({ instruments }) => instruments.map(({ variableNames }) => variableNames));
    expect(asked).toEqual([['second']]);
    expect(runs.outcomes.get(batch.id)?.variableIds).toEqual(
      Buffer.concat([Buffer.alloc(16), variableIdBytes(catalog.key('Logger', 'second'))]),
    );
  });

  test('is not stored again where a retry tries other values of its point', async () => {
    const { catalog, runs } = bench.peers;
    const point = { atUs: startUs, values: { level: 1, pressure: 2 } };
    const tried = [{ index: 0, positions: [1] }];
    const batch = named([point, point], { epoch: 1, queuedEpoch: 1, indexes: [0], tried });
    await using _ = await bench.start();
    await bench.publish([batch]);
    await bench.drained([batch]);
    const asked = catalog.requests.flatMap(({ instruments }) => instruments.map(({ variableNames }) => variableNames));
    expect(asked).toEqual([['pressure']]);
    expect(await bench.stored(level())).toEqual([]);
    expect(await bench.stored(catalog.key('Logger', 'pressure'))).toEqual([[startUs, 2]]);
    expect(runs.outcomes.get(batch.id)).toMatchObject({ indexes: [0], deviations: [] });
  });

  test('is what the first attempt stored, of those that did since its runs were queued', async () => {
    const { catalog } = bench.peers;
    const batch = named(manyPoints(2, startUs), { epoch: 2, queuedEpoch: 2, indexes: [0] });
    await using pool = openPool({ url: bench.config.databaseUrl, max: 1 });
    const keys = [];
    for (const epoch of [1, 2, 3]) {
      keys.push(level());
      await pool.query(sql`
        insert into observations.stored_batches (id, public_ids, epochs, variable_ids)
        values (${newId()}, array[${batch.publicId}::uuid], array[${epoch}::integer],
          array[${variableIdBytes(level())}::bytea])`);
      catalog.rename('Logger', 'level');
    }
    await using _ = await bench.start();
    await bench.publish([batch]);
    await bench.drained([batch]);
    const [told = 0, first = 0, later = 0] = keys;
    expect(await bench.stored(first)).toEqual([[startUs, 0]]);
    for (const key of [told, later, level()]) expect(await bench.stored(key)).toEqual([]);
  });

  test('is forgotten once it was told, though nothing is stored next, or that fails', async () => {
    const { catalog } = bench.peers;
    await using _ = await bench.start();
    const first = named(manyPoints(1, startUs));
    await bench.publish([first]);
    await bench.drained([first]);
    const failing = named(manyPoints(1, startUs, 0, 'variable_not_found'));
    await bench.publish([failing]);
    await bench.drained([failing]);

    // the names are remembered, and found to be wrong only when the rows are written
    catalog.generation++;
    const second = named(manyPoints(1, after(1)));
    let isFirst = true;
    catalog.onResolve = () => {
      if (!isFirst) return;
      isFirst = false;
      throw unavailable('The database does not answer.');
    };
    await bench.publish([second]);
    await bench.drained([second]);
    expect(await bench.storedBatches()).toEqual([[second.publicId]]);
  });
});
