import { resolve } from 'node:path';
import { parseConfig } from '@weir/kit/config';
import type { WeirError } from '@weir/kit/errors';
import { parseKey } from '@weir/kit/keys';
import { createLogger, type Logger } from '@weir/kit/log';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { createTestDatabase } from '@weir/kit/testing';
import { AccessServiceDefinition, type PresentedKey } from '@weir/proto/access';
import { settings } from '../src/config.js';
import { startAccess } from '../src/service.js';

export const root = resolve(import.meta.dirname, '../../..');

export const actor = { type: 'user', id: 'tester' };

export type AccessClient = RpcClient<typeof AccessServiceDefinition>;

/** A running access service with a database of its own. */
export interface StartedAccess extends AsyncDisposable {
  readonly client: AccessClient;
  readonly address: string;
  readonly databaseUrl: string;
  /** Stops the service (which stores what it still holds) and starts it again. */
  restart(): Promise<AccessClient>;
}

export async function startedAccess(log: Logger = createLogger('access', 'silent')): Promise<StartedAccess> {
  const database = await createTestDatabase('access');
  const start = async () => {
    const config = parseConfig(settings, { DATABASE_URL: database.url, LISTEN_ADDRESS: '127.0.0.1:0' });
    const service = await startAccess(config, log);
    return { service, client: connect(AccessServiceDefinition, service.address) };
  };
  let running = await start();
  const stop = async () => {
    running.client[Symbol.dispose]();
    await running.service[Symbol.asyncDispose]();
  };
  return {
    get client() {
      return running.client;
    },
    get address() {
      return running.service.address;
    },
    databaseUrl: database.url,
    async restart() {
      await stop();
      running = await start();
      return running.client;
    },
    async [Symbol.asyncDispose]() {
      await stop();
      await database[Symbol.asyncDispose]();
    },
  };
}

let projects = 0;

/** A project of an organization of its own. */
export async function createTestProject(client: AccessClient): Promise<{ organizationId: string; projectId: string }> {
  const name = `Test ${++projects}`;
  const { organization } = await client.createOrganization({ name, actor });
  const organizationId = organization?.id ?? '';
  const { project } = await client.createProject({ organizationId, name, actor });
  return { organizationId, projectId: project?.id ?? '' };
}

/** What a call failed with. */
export async function failure(promise: Promise<unknown>): Promise<WeirError> {
  return await promise.then(
    () => Promise.reject(new Error('did not fail')),
    (error: unknown) => error as WeirError,
  );
}

/** A key's text as the gateway presents it. */
export function presented(plaintext: string): { key: PresentedKey } {
  const key = parseKey(plaintext);
  if (key === undefined) throw new Error('not a key');
  return { key: { keyId: key.id, secretSha256: key.secretSha256 } };
}
