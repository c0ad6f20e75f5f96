import { errorOf, newProject, operator } from '@weir/kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { calculationsOf, constantInput, piece, rangesOf, reading, self } from './test-calculations.js';
import { seedOf, startTestVariables, type TestVariables } from './test-variables.js';

let service: TestVariables;
beforeAll(async () => {
  service = await startTestVariables();
});
afterAll(() => service[Symbol.asyncDispose]());

/** A project that is changed through two processes. */
async function newRace() {
  const other = await service.another();
  const projectId = newProject();
  const seed = seedOf(service.client, projectId);
  const { id: instrumentId } = await seed.instrument('logger');
  const sides = [calculationsOf(service.client, projectId), calculationsOf(other, projectId)] as const;
  return { projectId, instrumentId, other, seed, sides, otherSeed: seedOf(other, projectId) };
}

test('of variables that come to read each other in a ring at the same time, one is refused', async () => {
  const { sides, instrumentId } = await newRace();
  for (const size of [2, 2, 3, 5]) {
    const ring = await Promise.all(
      Array.from({ length: size }, () => sides[0].calculated(`v ${Math.random()}`, instrumentId, [])),
    );
    const errors = await Promise.all(
      ring.map((variable, n) => {
        const next = ring[(n + 1) % size] ?? variable;
        const items = [reading([self(next.id)])];
        return errorOf((n % 2 === 0 ? sides[0] : sides[1]).update(variable, { calculations: { items } }));
      }),
    );
    expect(errors.toSorted()).toEqual([
      'dependency_conflict /calculations/0/inputs/0/variable_id',
      ...Array.from({ length: size - 1 }, () => 'no error'),
    ]);
  }
});

test('of variables and constants that take one alias at the same time, one gets it', async () => {
  const { sides, instrumentId, seed, otherSeed } = await newRace();
  const alias = 'same';
  const errors = await Promise.all(
    Array.from({ length: 12 }, (_, n) => {
      if (n % 3 === 0) return errorOf((n % 2 === 0 ? seed : otherSeed).variable(`a${n}`, instrumentId, { alias }));
      const side = n % 2 === 0 ? sides[0] : sides[1];
      return errorOf(
        n % 3 === 1
          ? side.constant(`a${n}`, instrumentId, { alias })
          : side.calculated(`a${n}`, instrumentId, [], { alias }),
      );
    }),
  );
  expect(errors.toSorted()).toEqual([...Array.from({ length: 11 }, () => 'name_conflict /alias'), 'no error']);

  const derived = await Promise.all([
    ...Array.from({ length: 4 }, (_, n) => sides[0].constant(`x${'-'.repeat(n + 1)}y`, instrumentId)),
    ...Array.from({ length: 4 }, (_, n) => sides[1].calculated(`x${'+'.repeat(n + 1)}y`, instrumentId, [])),
    ...Array.from({ length: 4 }, (_, n) => otherSeed.variable(`x${'*'.repeat(n + 1)}y`, instrumentId)),
  ]);
  const expected = ['x_y', ...Array.from({ length: 11 }, (_, n) => `x_y_${n + 2}`)];
  expect(derived.map((record) => record.alias).toSorted()).toEqual(expected.toSorted());
});

test('nothing comes to be read that is archived at the same time', async () => {
  const { sides, instrumentId, projectId, other, seed } = await newRace();
  for (let round = 0; round < 10; round++) {
    const level = await seed.variable(`level ${round}`, instrumentId);
    const slope = await sides[0].constant(`slope ${round}`, instrumentId);
    const of = { projectId, instrumentId, actor: operator };
    const inputs = [self(level.id), constantInput(slope.id)];
    const [variable, constant, created] = await Promise.all([
      errorOf(other.archiveVariable({ ...of, variableId: level.id })),
      errorOf(other.archiveConstant({ ...of, constantId: slope.id })),
      errorOf(sides[0].calculated(`flow ${round}`, instrumentId, [reading(inputs)])),
    ]);
    if (created === 'no error') {
      expect([variable, constant]).toEqual([
        'dependency_conflict path/variable_id',
        'dependency_conflict path/constant_id',
      ]);
    } else {
      expect(created).toMatch(/^invalid_request /);
      expect([variable, constant]).toContain('no error');
    }
  }
});

test('each of many changes of one variable has a generation of its own', async () => {
  const { sides, instrumentId, projectId, seed } = await newRace();
  const level = await seed.variable('level', instrumentId);
  const flow = await sides[0].calculated('flow', instrumentId, []);
  const updated = await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      (n % 2 === 0 ? sides[0] : sides[1]).update(flow, {
        calculations: { items: [piece(`level + ${n}`, [self(level.id)])] },
      }),
    ),
  );
  expect(updated.map((variable) => variable.configurationGeneration).toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: 10 }, (_, n) => n + 1),
  );
  const last = updated.find(({ configurationGeneration }) => configurationGeneration === 10);
  expect(await rangesOf(service.databaseUrl, last?.runId ?? '')).toEqual({ [flow.id]: ['0 ∞'] });
  const { variable } = await service.client.getVariable({ projectId, variableId: flow.id });
  expect(variable?.calculations).toEqual(last?.calculations);
});

test('whoever takes changes over while they are made comes to the last definition, in the order of generations', async () => {
  const { sides, instrumentId, projectId, seed, other } = await newRace();
  const level = await seed.variable('level', instrumentId);
  const flow = await sides[0].calculated('flow', instrumentId, []);
  let isOver = false;
  const updates = Promise.all(
    Array.from({ length: 24 }, (_, n) =>
      (n % 2 === 0 ? sides[0] : sides[1]).update(flow, {
        calculations: { items: [piece(`level + ${n}`, [self(level.id)])] },
      }),
    ),
  ).finally(() => {
    isOver = true;
  });
  const taken = new Map<number, { runId: string; version: number; expression: string | undefined }>();
  for (let isLast = false; !isLast; ) {
    isLast = isOver;
    const { changes } = await other.listCalculationChanges({ limit: 1000 });
    const mine = changes.filter((change) => change.projectId === projectId);
    for (const { id, runId, series } of mine) {
      // nobody has acknowledged it before
      expect(taken.has(id)).toBe(false);
      taken.set(id, { runId, version: series?.version ?? 0, expression: series?.pieces[0]?.expression });
    }
    await other.acknowledgeCalculationChanges({ ids: mine.map(({ id }) => id) });
  }
  const updated = (await updates).toSorted((a, b) => a.configurationGeneration - b.configurationGeneration);
  const inOrder = [...taken.entries()].sort(([a], [b]) => a - b).map(([, change]) => change);
  expect(inOrder.map(({ runId }) => runId)).toEqual(updated.map(({ runId }) => runId));
  const newest = inOrder.toSorted((a, b) => a.version - b.version).at(-1);
  expect(newest?.expression).toBe(updated.at(-1)?.calculations[0]?.expression);
});
