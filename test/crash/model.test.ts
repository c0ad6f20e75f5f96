import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntilComputed } from '../harness/computed.js';
import { openTestStack, type TestStack } from '../harness/stack.js';
import { createTenant } from '../harness/tenant.js';
import { checkWorld } from '../model/check-world.js';
import { type Choices, choicesOf } from '../model/choices.js';
import { anySteps, changeSomething, createCalculated, handsOn, sendSomething } from '../model/random-steps.js';
import { checkRecalculations, recalculateAll, recalculateAny } from '../model/recalculations.js';
import { createWorld, type World } from '../model/world.js';

/** A seed decides all that is done in a case; MODEL_SEED names one to try again. */
const seed = Number(process.env['MODEL_SEED'] ?? 4);
/** For so many seconds further seeds are tried: MODEL_SOAK_S=3600 ./dev test crash -- -t model */
const soakS = Number(process.env['MODEL_SOAK_S'] ?? 0);
const stepsPerRound = Number(process.env['MODEL_STEPS'] ?? 24);

const pollMs = 50;
const processors = ['processor-1', 'processor-2'];

let stack: TestStack;
beforeAll(async () => {
  // what a killed processor had in hand goes to another one sooner than in production, and little is done at a time
  const processor = { ACK_WAIT_MS: '2000', SLICE_INSTANTS_MAX: '25', RECALCULATION_WORKERS: '2' };
  stack = await openTestStack({ processors: processors.length, envOf: { processor } });
});
afterAll(() => stack?.[Symbol.asyncDispose]());

/** Works while processors are killed with -9, any one at any time. */
async function whileKilling(choices: Choices, work: () => Promise<unknown>): Promise<void> {
  let isOver = false;
  const over = work().finally(() => {
    isOver = true;
  });
  // it may fail while a processor is started again
  over.catch(() => undefined);
  while (!isOver) {
    await Promise.race([over, delay(choices.between(100, 2500))]);
    if (!isOver) await stack.killAndRestart(choices.oneOf(processors));
  }
  await over;
}

/** Kills the service whose changes processors take over, and which they report to: all of that comes again. */
async function killVariables({ project }: World): Promise<void> {
  await stack.killAndRestart('variables');
  // the gateway connects again when it comes to it
  while ((await project.call('GET', '/instruments')).status !== 200) await delay(pollMs);
}

/** A project of its own, and what the choices of a seed do there. */
async function runCase(caseSeed: number): Promise<void> {
  const { gatewayUrl, addresses } = stack;
  const choices = choicesOf(caseSeed);
  const tenant = await createTenant(addresses.access);
  const world = await createWorld(gatewayUrl, tenant, { instruments: 5, steps: () => anySteps(choices) });
  const hands = handsOn(world, choices, gatewayUrl);
  const sender = handsOn(world, choicesOf(caseSeed + 1), gatewayUrl);
  const killing = choicesOf(caseSeed + 2);
  for (let count = 0; count < 15; count++) await createCalculated(hands);
  for (const mayCancel of [false, true]) {
    const change = async (): Promise<void> => {
      for (let step = 0; step < stepsPerRound; step++) {
        if (mayCancel && choices.isTrue(15)) await recalculateAny(hands, addresses.variables);
        else await changeSomething(hands);
      }
    };
    const send = async (): Promise<void> => {
      for (let step = 0; step < stepsPerRound; step++) await sendSomething(sender);
    };
    await whileKilling(killing, () => Promise.all([change(), send()]));
    if (mayCancel) await killVariables(world);
    await waitUntilComputed(stack);
    if (mayCancel) {
      // what a cancelled recalculation has not computed stays as it was until it is asked for again
      await whileKilling(killing, async () => {
        await recalculateAll(world, addresses.variables);
        await waitUntilComputed(stack);
      });
    }
    const { values } = await checkWorld(world, gatewayUrl);
    expect(values).toBeGreaterThan(0);
    expect(await checkRecalculations(world, addresses.variables)).toBeGreaterThan(0);
  }
}

async function runSeed(caseSeed: number): Promise<void> {
  try {
    await runCase(caseSeed);
  } catch (error) {
    throw new Error(`MODEL_SEED=${caseSeed}: ${(error as Error).message}`, { cause: error });
  }
}

test('model: whatever is done and whoever is killed, all results are those of the final state', async () => {
  await runSeed(seed);
});

test.runIf(soakS > 0)(
  'model: so they are in any case',
  async () => {
    const endMs = Date.now() + soakS * 1000;
    for (let further = seed + 1; Date.now() < endMs; further++) await runSeed(further);
  },
  soakS * 1000 + 300_000,
);
