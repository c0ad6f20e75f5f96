import { expect, test } from 'vitest';
import { actorOf, type Context } from './context.js';

const context = { userName: 'uid 10001', output: {} as never, setExitCode: () => undefined } satisfies Partial<Context>;

test('who makes a change is the user of the operating system, unless WEIR_ACTOR says who', () => {
  expect(actorOf({ ...context, env: {} })).toEqual({ type: 'user', id: 'uid 10001' });
  expect(actorOf({ ...context, env: { WEIR_ACTOR: 'ada' } })).toEqual({ type: 'user', id: 'ada' });
});
