import { unavailable } from '@weir/kit/errors';
import { createLogger } from '@weir/kit/log';
import { type ServedService, served, startRpcServer } from '@weir/kit/rpc';
import { AccessServiceDefinition, type AccessServiceImplementation } from '@weir/proto/access';
import { DashboardsServiceDefinition, type DashboardsServiceImplementation } from '@weir/proto/dashboards';
import { IngestionServiceDefinition, type IngestionServiceImplementation } from '@weir/proto/ingestion';
import { ObservationsServiceDefinition, type ObservationsServiceImplementation } from '@weir/proto/observations';
import { ParsersServiceDefinition, type ParsersServiceImplementation } from '@weir/proto/parsers';
import { VariablesServiceDefinition, type VariablesServiceImplementation } from '@weir/proto/variables';
import type { FakeServices } from './fake-services.js';

async function serve(services: readonly ServedService[]) {
  const log = createLogger('test', 'silent');
  const options = { listenAddress: '127.0.0.1:0', isReady: () => Promise.resolve(), drainMs: 0 };
  return await startRpcServer({ ...options, log, services });
}

/** Methods that a fake does not have answer what the test said, and otherwise that it is away. */
function whole<I extends object>(methods: Partial<I>, { answers, asked }: FakeServices): I {
  const stub = (method: string) => async (request: unknown) => {
    const answer = answers.get(method) ?? unavailable('The fake has no such method.');
    asked.push({ method, request });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return new Proxy(methods, { get: (target, name) => Reflect.get(target, name) ?? stub(String(name)) }) as I;
}

/** Serves fakes on free ports: access alone, so that it can be stopped, and the others together. */
export async function serveFakes(fakes: FakeServices) {
  const access = await serve([
    served(AccessServiceDefinition, whole<AccessServiceImplementation>(fakes.access, fakes)),
  ]);
  const others = await serve([
    served(IngestionServiceDefinition, whole<IngestionServiceImplementation>(fakes.ingestion, fakes)),
    served(VariablesServiceDefinition, whole<VariablesServiceImplementation>(fakes.catalog, fakes)),
    served(DashboardsServiceDefinition, whole<DashboardsServiceImplementation>({}, fakes)),
    served(ParsersServiceDefinition, whole<ParsersServiceImplementation>({}, fakes)),
    served(ObservationsServiceDefinition, whole<ObservationsServiceImplementation>(fakes.query, fakes)),
  ]);
  return {
    env: {
      ACCESS_ADDRESS: access.address,
      DASHBOARDS_ADDRESS: others.address,
      PARSERS_ADDRESS: others.address,
      INGESTION_ADDRESS: others.address,
      VARIABLES_ADDRESS: others.address,
      OBSERVATIONS_ADDRESS: others.address,
    },
    stopAccess: () => access[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      await access[Symbol.asyncDispose]();
      await others[Symbol.asyncDispose]();
    },
  };
}
