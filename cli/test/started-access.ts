import { startAccess } from '@weir/access';
import { settings } from '@weir/access/config';
import { parseConfig } from '@weir/kit/config';
import { createLogger } from '@weir/kit/log';
import { createTestDatabase } from '@weir/kit/testing';

/** A running access service with a database of its own, and the environment that reaches it. */
export interface StartedAccess extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  readonly databaseUrl: string;
}

export async function startedAccess(): Promise<StartedAccess> {
  const database = await createTestDatabase();
  const config = parseConfig(settings, { DATABASE_URL: database.url, LISTEN_ADDRESS: '127.0.0.1:0' });
  const service = await startAccess(config, createLogger('access', 'silent'));
  return {
    env: { ACCESS_ADDRESS: service.address },
    databaseUrl: database.url,
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
