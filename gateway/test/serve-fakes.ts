import { unavailable } from '@weir/kit/errors';
import { createLogger } from '@weir/kit/log';
import { type Implementation, type ServedService, served, startRpcServer } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { DashboardsServiceDefinition } from '@weir/proto/dashboards';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import { ParsersServiceDefinition } from '@weir/proto/parsers';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import type { FakeServices } from './fake-services.js';

async function serve(services: readonly ServedService[]) {
  const log = createLogger('test', 'silent');
  const options = { listenAddress: '127.0.0.1:0', isReady: () => Promise.resolve(), drainMs: 0 };
  return await startRpcServer({ ...options, log, services });
}

type Definition = Parameters<typeof served>[0];
type Method = (request: unknown, context: unknown) => unknown;

/** Methods that a fake does not have answer what the test said, and otherwise that it is away. What answers lack is put in. */
function whole<S extends Definition>(definition: S, methods: object, { answers, asked }: FakeServices) {
  const stub = (method: string) => async (request: unknown) => {
    const answer = answers.get(method) ?? unavailable('The fake has no such method.');
    asked.push({ method, request });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const all = Object.entries(definition.methods).map(([name, { responseStream, responseType }]) => {
    const method: Method = Reflect.get(methods, name)?.bind(methods) ?? stub(name);
    const answered: Method = async (request, context) => responseType.fromPartial?.(await method(request, context));
    return [name, responseStream ? method : answered];
  });
  return served(definition, Object.fromEntries(all) as Implementation<S>);
}

/** Serves fakes on free ports: access alone, so that it can be stopped, and the others together. */
export async function serveFakes(fakes: FakeServices) {
  const access = await serve([whole(AccessServiceDefinition, fakes.access, fakes)]);
  const others = await serve([
    whole(IngestionServiceDefinition, fakes.ingestion, fakes),
    whole(VariablesServiceDefinition, fakes.catalog, fakes),
    whole(DashboardsServiceDefinition, {}, fakes),
    whole(ParsersServiceDefinition, {}, fakes),
    whole(ObservationsServiceDefinition, fakes.query, fakes),
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
