import { randomUUID } from 'node:crypto';
import { parseConfig } from '@weir/kit/config';
import { WeirError } from '@weir/kit/errors';
import { createLogger } from '@weir/kit/log';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { createTestDatabase } from '@weir/kit/testing';
import { type Parser, ParsersServiceDefinition } from '@weir/proto/parsers';
import { settings } from '../src/config.js';
import { startParsers } from '../src/service.js';

/** A client of the parsers service. */
export type Client = RpcClient<typeof ParsersServiceDefinition>;

/** The service over a database of its own, and its client. */
export interface TestParsers extends AsyncDisposable {
  readonly client: Client;
  readonly databaseUrl: string;
  /** Starts the service once more over the same database, with its own pool; ended with the rest. */
  another(): Promise<Client>;
}

/** Starts the service as its process does. */
export async function startTestParsers(env: Record<string, string> = {}): Promise<TestParsers> {
  const database = await createTestDatabase(new URL('../../..', import.meta.url).pathname, 'parsers');
  const config = parseConfig(settings, {
    DATABASE_URL: database.url,
    LISTEN_ADDRESS: '127.0.0.1:0',
    LOG_LEVEL: 'silent',
    ...env,
  });
  const log = createLogger('parsers', config.logLevel);
  const ends: (() => unknown)[] = [];
  const another = async (): Promise<Client> => {
    const service = await startParsers(config, log);
    const client = connect(ParsersServiceDefinition, service.address);
    ends.unshift(
      () => client[Symbol.dispose](),
      () => service[Symbol.asyncDispose](),
    );
    return client;
  };
  return {
    client: await another(),
    databaseUrl: database.url,
    another,
    async [Symbol.asyncDispose]() {
      for (const end of ends) await end();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** Who makes the changes of tests. */
export const operator = { type: 'user', id: 'operator' };

/** A project that nobody else uses. */
export function newProject(): string {
  return randomUUID();
}

/** A small configuration, with changes of it. */
export function configuration(changes: object = {}): string {
  return JSON.stringify({
    timestamp: { columns: [{ header_name: 'time' }], input_format: 'iso8601' },
    data_layout: {
      layout: 'one_data_point_per_row',
      variable_mappings: [{ source_column: { header_name: 'h' }, variable_name: 'h' }],
    },
    ...changes,
  });
}

/** Creates a parser. */
export async function create(client: Client, projectId: string, name: string, fields: object = {}): Promise<Parser> {
  const request = { projectId, name, type: 'csv', configurationJson: configuration(), actor: operator, ...fields };
  const { parser } = await client.createParser(request);
  if (parser === undefined) throw new Error('the answer lacks its parser');
  return parser;
}

/** The error that a call ends with, as `code` or `code path, path …` of its details. */
export async function errorOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof WeirError)) throw error;
    return [error.code, ...error.details.map(({ path }) => path)].join(' ');
  }
  return 'no error';
}
