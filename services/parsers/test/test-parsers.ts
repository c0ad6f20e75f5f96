import { randomUUID } from 'node:crypto';
import { parseConfig } from '@weir/kit/config';
import { WeirError } from '@weir/kit/errors';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { createTestDatabase, startTestService, type TestService } from '@weir/kit/testing';
import { type Parser, ParsersServiceDefinition } from '@weir/proto/parsers';
import { settings } from '../src/config.js';
import { startParsers } from '../src/service.js';

/** A client of the parsers service. */
export type Client = RpcClient<typeof ParsersServiceDefinition>;

/** The service over a database of its own, and its client. */
export type TestParsers = TestService<Client>;

/** Starts the service as its process does. */
export async function startTestParsers(env: Record<string, string> = {}): Promise<TestParsers> {
  return await startTestService(
    await createTestDatabase(new URL('../../..', import.meta.url).pathname, 'parsers'),
    (base, log) => startParsers(parseConfig(settings, { ...base, ...env }), log),
    (address) => connect(ParsersServiceDefinition, address),
  );
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
