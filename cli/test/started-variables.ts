import { parseConfig } from '@weir/kit/config';
import { newId } from '@weir/kit/ids';
import { createLogger } from '@weir/kit/log';
import { connect } from '@weir/kit/rpc';
import { createTestDatabase } from '@weir/kit/testing';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import { startVariables } from '@weir/variables';
import { settings } from '@weir/variables/config';

const actor = { type: 'user', id: 'tester' };

/** A running variables service with a database of its own, and the environment that reaches it. */
export async function startedVariables() {
  const database = await createTestDatabase('variables');
  const config = parseConfig(settings, { DATABASE_URL: database.url, LISTEN_ADDRESS: '127.0.0.1:0' });
  const service = await startVariables(config, createLogger('variables', 'silent'));
  const client = connect(VariablesServiceDefinition, service.address);

  /** A calculated variable of a new project, and the run of its first recalculation. */
  const newCalculated = async () => {
    const projectId = newId();
    const { instrument } = await client.createInstrument({ projectId, name: 'Gauge', actor });
    const of = { projectId, instrumentId: instrument?.id ?? '', actor };
    const { variable: level } = await client.createIngestedVariable({ ...of, name: 'level' });
    const inputs = [{ kind: 'self_variable', variableId: level?.id ?? '' }];
    const { variable, recalculationBatchRunId } = await client.createCalculatedVariable({
      ...of,
      name: 'double',
      calculations: [{ startTimeUs: 0, expression: 'level * 2', inputs }],
    });
    return { projectId, variableId: variable?.id ?? '', runId: recalculationBatchRunId };
  };

  return {
    env: { VARIABLES_ADDRESS: service.address } as const,
    client,
    newCalculated,
    async [Symbol.asyncDispose]() {
      client[Symbol.dispose]();
      await service[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}
