import { defineConfig } from 'vitest/config';

/** Unless a kind says otherwise: as long as a busy machine may take for what takes an idle one a second. */
const usual = { testTimeout: 30_000, hookTimeout: 60_000 } as const;
/** Where processes are killed and started beside each other, what is to come about is waited for longer than a second. */
const patient = { poll: { timeout: 20_000 } } as const;

/** Kinds of tests, fast ones first, one kind after the other. All but `unit`, `chart`, `cluster` and `image` need the servers that `./dev test` starts; `cluster`, `image` and `fuzz` need what it installs or builds. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            '{libs,services,deploy}/*/src/**/*.test.ts',
            '{gateway,cli}/src/**/*.test.ts',
            'test/{harness,history,model}/**/*.test.ts',
          ],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['{libs,services}/*/test/*.test.ts', '{gateway,cli}/test/*.test.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'contract',
          include: ['test/contract/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: 'crash',
          expect: patient,
          include: ['test/crash/**/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 5 },
        },
      },
      {
        test: {
          name: 'faults',
          expect: patient,
          include: ['test/faults/**/*.test.ts', 'services/*/test/faults/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          // most of their time they wait for what they broke
          maxWorkers: 4,
          sequence: { groupOrder: 9 },
        },
      },
      {
        test: {
          name: 'rates',
          expect: patient,
          include: ['test/rates/**/*.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 120_000,
          // what is measured is that of a machine without other work
          maxWorkers: 1,
          sequence: { groupOrder: 10 },
        },
      },
      {
        test: {
          name: 'soak',
          include: ['test/soak/**/*.test.ts'],
          hookTimeout: 120_000,
        },
      },
      {
        test: {
          name: 'operations',
          include: ['test/operations/**/*.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
          sequence: { groupOrder: 8 },
        },
      },
      {
        test: {
          name: 'chart',
          // rules and dashboards are a part of the chart
          include: ['test/chart/*.test.ts', 'test/contract/monitoring.test.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          maxWorkers: 2,
          sequence: { groupOrder: 7 },
        },
      },
      {
        test: {
          name: 'cluster',
          include: ['test/chart/cluster/*.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          fileParallelism: false,
          sequence: { groupOrder: 9 },
        },
      },
      {
        test: {
          name: 'image',
          include: ['test/image/*.test.ts'],
          testTimeout: 120_000,
          sequence: { groupOrder: 10 },
        },
      },
      {
        test: {
          name: 'fuzz',
          include: ['test/fuzz/**/*.test.ts'],
          testTimeout: 400_000,
          sequence: { groupOrder: 6 },
        },
      },
    ].map(({ test }) => ({ test: { ...usual, ...test } })),
  },
});
