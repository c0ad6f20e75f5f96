import { listEntries } from '@weir/kit/audit';
import type { StartedService } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { openPool } from '@weir/kit/sql';
import { AuditServiceDefinition } from '@weir/proto/audit';
import { ParsersServiceDefinition } from '@weir/proto/parsers';
import type { ParsersConfig } from './config.js';
import { changeMethods } from './rpc/change-parsers.js';
import { createMethod } from './rpc/create-parser.js';
import { previewMethod } from './rpc/preview-file.js';
import { readMethods } from './rpc/read-parsers.js';
import { updateMethod } from './rpc/update-parser.js';
import { selectAuditEntries } from './store/audit.js';
import { parserConstraints } from './store/parsers.js';
import { requireSchema } from './store/schema.js';
import { sessionSettings } from './store/session-settings.js';

/** Nothing here reads or writes more than one parser, or a page of them. */
const statementTimeoutMs = 10_000;

/** Starts the parsers service: saved descriptions of how to read loggers' files. */
export async function startParsers(config: ParsersConfig, log: Logger): Promise<StartedService> {
  await using started = new AsyncDisposableStack();
  const pool = started.use(
    openPool({
      url: config.databaseUrl,
      role: config.databaseRole,
      keepsToProjects: true,
      max: config.databasePoolMax,
      statementTimeoutMs,
      settings: sessionSettings,
      constraints: parserConstraints,
    }),
  );
  const server = started.use(
    await startRpcServer({
      listenAddress: config.listenAddress,
      healthAddress: config.healthAddress,
      services: [
        served(ParsersServiceDefinition, {
          ...createMethod(pool, config),
          ...readMethods(pool),
          ...updateMethod(pool, config),
          ...changeMethods(pool),
          ...previewMethod(pool, config),
        }),
        served(AuditServiceDefinition, { listEntries: (request) => listEntries(pool, selectAuditEntries, request) }),
      ],
      isReady: () => requireSchema(pool),
      log,
      drainMs: config.drainMs,
    }),
  );
  const stack = started.move();
  return { address: server.address, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}
