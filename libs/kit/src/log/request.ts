import { AsyncLocalStorage } from 'node:async_hooks';

/** Requests that one piece of work is done for are named up to so many. */
const namedMax = 32;

const requests = new AsyncLocalStorage<string>();

/**
 * Runs `work` for a request: each line of the log that it writes has the request's id, and each call that it makes
 * carries it.
 */
export function inRequest<T>(requestId: string, work: () => T): T {
  return requests.run(requestId, work);
}

/** Runs each step of a generator for a request. */
export async function* stepsInRequest<T, R>(
  requestId: string,
  steps: AsyncGenerator<T, R, undefined>,
): AsyncGenerator<T, R, undefined> {
  try {
    for (;;) {
      const step = await inRequest(requestId, () => steps.next());
      if (step.done === true) return step.value;
      yield step.value;
    }
  } finally {
    await inRequest(requestId, () => steps.return(undefined as R));
  }
}

/** The request that is being worked for; several, with commas between, where work is done for them together; empty for none. */
export function currentRequestId(): string {
  return requests.getStore() ?? '';
}

/** What several requests are called together: ids hold no comma. */
export function joinRequestIds(requestIds: readonly string[]): string {
  const named = new Set(requestIds.flatMap((ids) => ids.split(',')));
  named.delete('');
  return [...named].slice(0, namedMax).join(',');
}
