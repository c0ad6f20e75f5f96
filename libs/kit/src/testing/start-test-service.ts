import type { StartedService } from '../lifecycle/index.js';
import { createLogger, type Logger } from '../log/index.js';
import { createTestDatabase } from './test-database.js';

/** A service over a database of its own, and its client. */
export interface TestService<C> extends AsyncDisposable {
  readonly client: C;
  readonly databaseUrl: string;
  /** Starts the service once more over the same database, with its own pool; ended with the rest. */
  another(): Promise<C>;
}

/**
 * Starts a service as its process does, over a database that has its schema.
 *
 * @param name - of the service and its schema
 * @param start - starts the service with settings, by environment variable
 * @param connect - makes a client of the service at an address
 */
export async function startTestService<C extends Disposable>(
  name: string,
  start: (env: Readonly<Record<string, string>>, log: Logger) => Promise<StartedService>,
  connect: (address: string) => C,
): Promise<TestService<C>> {
  await using starting = new AsyncDisposableStack();
  const database = starting.use(await createTestDatabase(name));
  const env = { DATABASE_URL: database.url, LISTEN_ADDRESS: '127.0.0.1:0' };
  const log = createLogger('test', 'silent');
  const startIn = async (stack: AsyncDisposableStack): Promise<C> => {
    const service = stack.use(await start(env, log));
    return stack.use(connect(service.address));
  };
  const client = await startIn(starting);
  const started = starting.move();
  return {
    client,
    databaseUrl: database.url,
    another: () => startIn(started),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
