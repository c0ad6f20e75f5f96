import { parseConfig } from '@weir/kit/config';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { openPool, type Pool } from '@weir/kit/sql';
import { operator, startTestService, type TestService } from '@weir/kit/testing';
import { type Instrument, type Site, type Variable, VariablesServiceDefinition } from '@weir/proto/variables';
import { settings } from '../src/config.js';
import { startVariables } from '../src/service.js';
import { sessionSettings } from '../src/store/session-settings.js';

/** A client of the variables service. */
export type Client = RpcClient<typeof VariablesServiceDefinition>;

/** The service over a database of its own, and its client. */
export type TestVariables = TestService<Client>;

/** Starts the service as its process does. */
export async function startTestVariables(env: Record<string, string> = {}): Promise<TestVariables> {
  return await startTestService(
    'variables',
    (base, log) => startVariables(parseConfig(settings, { ...base, ...env }), log),
    (address) => connect(VariablesServiceDefinition, address),
  );
}

/** One session as the service has them, of all projects. */
export function openTestSession({ databaseUrl }: TestVariables): Pool {
  const settings = { ...sessionSettings, 'weir.project_id': '*' };
  return openPool({ url: databaseUrl, role: 'weir_variables_tenant', max: 1, settings });
}

function present<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the answer lacks its record');
  return value;
}

/** Creates records of one project. */
export function seedOf(client: Client, projectId: string) {
  return {
    site: async (name: string, fields: object = {}): Promise<Site> =>
      present((await client.createSite({ projectId, name, actor: operator, ...fields })).site),
    instrument: async (name: string, siteId?: string, fields: object = {}): Promise<Instrument> =>
      present((await client.createInstrument({ projectId, name, siteId, actor: operator, ...fields })).instrument),
    variable: async (name: string, instrumentId: string, fields: object = {}): Promise<Variable> =>
      present(
        (await client.createIngestedVariable({ projectId, instrumentId, name, actor: operator, ...fields })).variable,
      ),
  };
}

/** A shorter form of what Resolve answers: an error's code, or the instrument with what its names came to. */
export type Outcome = string | { instrumentId: string; variables: string[] };

/** Resolves names written as `instrument`, `instrument@site id`, each with its variables. */
export async function resolve(
  client: Client,
  projectId: string,
  names: Record<string, string[]>,
  provisioning: 'automatic' | 'strict' = 'strict',
): Promise<{ generation: number; outcomes: Outcome[] }> {
  const instruments = Object.entries(names).map(([name, variableNames]) => {
    const [instrumentName = '', siteId = ''] = name.split('@');
    return { instrumentName, siteId, variableNames };
  });
  const answer = await client.resolve({ projectId, provisioning, connectionId: 'connection', instruments });
  return {
    generation: answer.generation,
    outcomes: answer.instruments.map(({ errorCode, instrumentId, variables }) =>
      errorCode === ''
        ? { instrumentId, variables: variables.map((v) => (v.errorCode === '' ? v.variableId : v.errorCode)) }
        : errorCode,
    ),
  };
}
