import { parseConfig } from '@weir/kit/config';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { operator, startTestService, type TestService } from '@weir/kit/testing';
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
    'parsers',
    (base, log) => startParsers(parseConfig(settings, { ...base, ...env }), log),
    (address) => connect(ParsersServiceDefinition, address),
  );
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
