import { listEntries } from '@weir/kit/audit';
import { type StartedService, startedService } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { inRead } from '@weir/kit/reads';
import { served, startRpcServer } from '@weir/kit/rpc';
import { openPool } from '@weir/kit/sql';
import { acrossProjects } from '@weir/kit/tenancy';
import { AccessServiceDefinition } from '@weir/proto/access';
import { AuditServiceDefinition } from '@weir/proto/audit';
import type { AccessConfig } from './config.js';
import { startLastUses } from './last-use.js';
import { authenticateDeveloperKey, authenticateIngestionKey } from './rpc/authenticate.js';
import { revokeConnectionKey, rotateConnectionKey } from './rpc/connection-secrets.js';
import { createConnection, listConnections, updateConnection } from './rpc/connections.js';
import { revokeDeveloperKey, rotateDeveloperKey } from './rpc/developer-key-secrets.js';
import { createDeveloperKey, listDeveloperKeys } from './rpc/developer-keys.js';
import { createOrganization, listOrganizations } from './rpc/organizations.js';
import { createProject, listProjects } from './rpc/projects.js';
import { selectAuditEntries } from './store/audit.js';
import { connectionErrors } from './store/connections.js';
import { developerKeyErrors } from './store/developer-keys.js';
import { organizationErrors } from './store/organizations.js';
import { projectErrors } from './store/projects.js';
import { requireSchema } from './store/schema.js';
import { secretErrors } from './store/secrets.js';

/** Starts the access service: tenants, Developer API keys and ingestion connections. */
export async function startAccess(config: AccessConfig, log: Logger): Promise<StartedService> {
  await using started = new AsyncDisposableStack();
  const pool = started.use(
    openPool({
      url: config.databaseUrl,
      role: config.databaseRole,
      keepsToProjects: true,
      max: config.databasePoolMax,
      statementTimeoutMs: 10_000,
      constraints: {
        ...organizationErrors,
        ...projectErrors,
        ...developerKeyErrors,
        ...connectionErrors,
        ...secretErrors,
      },
    }),
  );
  const uses = started.use(startLastUses(pool, log));
  const authentication = { db: pool, uses, log };
  const server = started.use(
    await startRpcServer({
      listenAddress: config.listenAddress,
      healthAddress: config.healthAddress,
      services: [
        served(AccessServiceDefinition, {
          // whose a key is tells its project, and an operator names a key or a connection alone: those are looked for in all;
          // who authenticates notes a use, behind the answer, and does nothing else but read
          authenticateDeveloperKey: (request, { signal }) =>
            inRead(signal, () => acrossProjects(() => authenticateDeveloperKey(authentication, request))),
          authenticateIngestionKey: (request, { signal }) =>
            inRead(signal, () => acrossProjects(() => authenticateIngestionKey(authentication, request))),
          createOrganization: (request) => createOrganization(pool, request),
          listOrganizations: (request) => listOrganizations(pool, request),
          createProject: (request) => acrossProjects(() => createProject(pool, request)),
          listProjects: (request) => acrossProjects(() => listProjects(pool, request)),
          createDeveloperKey: (request) => createDeveloperKey(pool, request),
          listDeveloperKeys: (request) => listDeveloperKeys(pool, request),
          rotateDeveloperKey: (request) => acrossProjects(() => rotateDeveloperKey(pool, request)),
          revokeDeveloperKey: (request) => acrossProjects(() => revokeDeveloperKey(pool, request)),
          createConnection: (request) => createConnection(pool, request),
          listConnections: (request) => listConnections(pool, request),
          updateConnection: (request) => acrossProjects(() => updateConnection(pool, request)),
          rotateConnectionKey: (request) => acrossProjects(() => rotateConnectionKey(pool, request)),
          revokeConnectionKey: (request) => acrossProjects(() => revokeConnectionKey(pool, request)),
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
