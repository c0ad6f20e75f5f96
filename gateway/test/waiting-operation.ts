import { z } from 'zod';
import { operation } from '../src/http/operation.js';
import { operations } from './start-machine.js';

/** An operation that waits until the test lets it go on. */
export function waiting() {
  let entered = (): void => undefined;
  const isEntered = new Promise<void>((resolve) => {
    entered = resolve;
  });
  let leave = (): void => undefined;
  const mayLeave = new Promise<void>((resolve) => {
    leave = resolve;
  });
  let aborted: unknown;
  const wait = operation({
    id: 'wait',
    method: 'GET',
    path: '/wait',
    tag: 'Things',
    summary: 'Wait',
    auth: 'none',
    params: {},
    query: {},
    success: { status: 200, schema: z.strictObject({}), example: {} },
    errors: [],
    handle: async ({ signal }) => {
      signal.addEventListener('abort', () => {
        aborted = signal.reason;
      });
      entered();
      await mayLeave;
      return {};
    },
  });
  return { operations: [...operations, wait], isEntered, leave: () => leave(), aborted: () => aborted };
}
