import { listEntries } from '@weir/kit/audit';
import { type StartedService, startedService } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { indexWalks, openPool } from '@weir/kit/sql';
import { AuditServiceDefinition } from '@weir/proto/audit';
import { ParsersServiceDefinition } from '@weir/proto/parsers';
import type { ParsersConfig } from './config.js';
import { archiveParser, restoreParser } from './rpc/change-parsers.js';
import { createParser } from './rpc/create-parser.js';
import { previewFile } from './rpc/preview-file.js';
import { getParser, listParsers } from './rpc/read-parsers.js';
import { updateParser } from './rpc/update-parser.js';
import { selectAuditEntries } from './store/audit.js';
import { parserConstraints } from './store/parsers.js';
import { requireSchema } from './store/schema.js';

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
      settings: indexWalks,
      constraints: parserConstraints,
    }),
  );
  const server = started.use(
    await startRpcServer({
      listenAddress: config.listenAddress,
      healthAddress: config.healthAddress,
      services: [
        served(ParsersServiceDefinition, {
          createParser: (request) => createParser(pool, request, config),
          getParser: (request) => getParser(pool, request),
          listParsers: (request) => listParsers(pool, request),
          updateParser: (request) => updateParser(pool, request, config),
          archiveParser: (request) => archiveParser(pool, request),
          restoreParser: (request) => restoreParser(pool, request),
          previewFile: (request, { signal }) => previewFile(pool, request, { limits: config, signal }),
        }),
        served(AuditServiceDefinition, { listEntries: (request) => listEntries(pool, selectAuditEntries, request) }),
      ],
      isReady: () => requireSchema(pool),
      log,
      drainMs: config.drainMs,
    }),
  );
  return startedService(started, server.address);
}
