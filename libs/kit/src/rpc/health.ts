import { type CallContext, createServer } from 'nice-grpc';
import { HealthDefinition, HealthServiceImpl, type HealthState } from 'nice-grpc-server-health';
import { unavailable, WeirError } from '../errors/index.js';
import { setErrorTrailer } from './errors.js';

/** What is told of an error: as everywhere, nothing of one that was not made to be told. */
function toldOf(error: unknown): WeirError {
  return error instanceof WeirError ? error : unavailable('The line `not ready` of its log says why.');
}

/**
 * The health service of gRPC. An answer that it does not serve has a trailer with the reason, which probes do not read.
 *
 * @param whyNot - why it does not serve at the moment
 */
export function healthService(health: HealthState, whyNot: () => unknown): HealthServiceImpl {
  const implementation = HealthServiceImpl(health);
  return {
    ...implementation,
    async check(request, context: CallContext) {
      if (health.getStatus(request.service ?? '') === 'unhealthy') setErrorTrailer(context, toldOf(whyNot()));
      return await implementation.check(request, context);
    },
  };
}

/** Starts a server that answers health and nothing else, to anybody: probes of a platform have no certificate. */
export async function startHealthServer(address: string, health: HealthServiceImpl): Promise<AsyncDisposable> {
  const server = createServer();
  server.add(HealthDefinition, health);
  await server.listen(address);
  return { [Symbol.asyncDispose]: () => server.shutdown() };
}
