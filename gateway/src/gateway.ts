import { unavailable } from '@weir/kit/errors';
import type { Started } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { startReadiness } from '@weir/kit/readiness';
import { connectHealth } from '@weir/kit/rpc';
import { createAuthenticator } from './auth/authenticator.js';
import { openClients } from './clients/clients.js';
import type { GatewayConfig } from './config.js';
import { Cursors } from './cursors/cursors.js';
import { declareOperations } from './declare-operations.js';
import { clientAddress } from './http/client-address.js';
import { createDispatch } from './http/dispatch.js';
import { HeldBytes, heldBytesMaxOf } from './http/held-bytes.js';
import { publicLimit } from './http/public-limit.js';
import { compileRoutes } from './http/routes.js';
import { startHttpServer } from './http/server.js';
import { Submitter, submitterDefaults } from './ingest/submitter.js';
import { startLimiter } from './limits/limiter.js';

/** A started gateway. */
export interface StartedGateway extends Started {
  /** host:port that it listens on */
  readonly address: string;
  /** Where a client on this machine reaches it. */
  readonly url: string;
}

/** Starts a gateway: HTTP in, gRPC out. It serves at once, and is ready from when the access service has answered. */
export async function startGateway(config: GatewayConfig, log: Logger): Promise<StartedGateway> {
  await using stack = new AsyncDisposableStack();
  const clients = stack.use(openClients(config));
  const limiter = stack.use(await startLimiter(config, log));
  const submitter = new Submitter((request, options) => clients.ingestion.admit(request, options), submitterDefaults);
  const operations = declareOperations({ ...clients, submitter, cursors: new Cursors(config.cursorKeys) }, config);

  const heldBytes = new HeldBytes(heldBytesMaxOf(operations, config));
  stack.use(heldBytes.observe());

  const access = stack.use(connectHealth(config.accessAddress));
  let wasServing = false;
  // once is enough, so that gateways do not leave their Service together (docs/decisions/0041, 6)
  const requireAccess = async (): Promise<void> => {
    wasServing ||= await access.isServing();
    if (!wasServing) throw unavailable(`The service at ${config.accessAddress} does not say that it serves.`);
  };
  const { isReady } = stack.use(await startReadiness({ check: requireAccess, log }));
  const dispatch = createDispatch(
    compileRoutes(operations, config.requestTimeoutMs),
    {
      authenticator: createAuthenticator(clients.access, config.keyCacheMax),
      limiter,
      publicLimit: publicLimit(config.publicRequestsPerSecond, config.publicRequestsBurst, () => performance.now()),
      heldBytes,
      responseBytesMax: config.responseBytesMax,
      bodyBytesMax: config.bodyBytesMax,
      trustTraceparent: config.trustTraceparent,
      undeclared: config.undeclaredAnswers,
      log,
    },
    { corsOrigins: config.corsOrigins, direct: ['/v1/ingest'] },
  );
  const server = stack.use(
    await startHttpServer({
      ...config,
      // the time of each operation is kept by its exchange
      requestTimeoutMs: Math.max(config.requestTimeoutMs, config.fileTimeoutMs),
      clientAddress: clientAddress(config.trustedProxies),
      isReady,
      dispatch,
    }),
  );
  const started = stack.move();
  return {
    address: `${server.host}:${server.port}`,
    url: `http://${server.host === '0.0.0.0' ? '127.0.0.1' : server.host}:${server.port}`,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}
