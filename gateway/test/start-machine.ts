import { WeirError } from '@weir/kit/errors';
import { createLogger } from '@weir/kit/log';
import { z } from 'zod';
import { clientAddress } from '../src/http/client-address.js';
import { createDispatch } from '../src/http/dispatch.js';
import { HeldBytes } from '../src/http/held-bytes.js';
import type { Machine } from '../src/http/machine.js';
import {
  type DeveloperPrincipal,
  type IngestionPrincipal,
  JsonText,
  type Operation,
  operation,
} from '../src/http/operation.js';
import {
  boolean,
  cursor,
  id,
  idList,
  integer,
  optional,
  required,
  visibleAscii,
  withDefault,
} from '../src/http/parameters.js';
import type { Authenticator, Limiter } from '../src/http/ports.js';
import { publicLimit } from '../src/http/public-limit.js';
import { compileRoutes } from '../src/http/routes.js';
import { startHttpServer } from '../src/http/server.js';

export const projectId = '01920000-0000-7000-8000-00000000000a';
export const otherProjectId = '01920000-0000-7000-8000-000000000002';

const developer = (permissions: readonly string[], project = projectId): DeveloperPrincipal => ({
  kind: 'developer',
  organizationId: '01920000-0000-7000-8000-0000000000aa',
  projectId: project,
  keyId: '01920000-0000-7000-8000-0000000000bb',
  keyName: 'test',
  permissions,
  createdAtUs: 0,
  expiresAtUs: undefined,
});

const ingestion = (enabled: boolean): IngestionPrincipal => ({
  kind: 'ingestion',
  organizationId: '01920000-0000-7000-8000-0000000000aa',
  projectId,
  connectionId: '01920000-0000-7000-8000-0000000000cc',
  provisioning: 'automatic',
  enabled,
});

const developers: Readonly<Record<string, DeveloperPrincipal>> = {
  dev: developer(['developer_api.sites.list', 'developer_api.sites.create', 'developer_api.sites.read']),
  'dev-none': developer([]),
  'dev-other': developer(['developer_api.sites.list'], otherProjectId),
};
const connections: Readonly<Record<string, IngestionPrincipal>> = { ing: ingestion(true), 'ing-off': ingestion(false) };

function pick<T>(known: Readonly<Record<string, T>>, header: string | undefined): T {
  if (header === undefined) throw new WeirError('unauthenticated', 'Send a key.');
  const found = known[header.replace(/^Bearer /, '')];
  if (found === undefined) throw new WeirError('invalid_credential', 'The key is not valid.');
  return found;
}

const authenticator: Authenticator = {
  developer: async ({ authorization }) => pick(developers, authorization),
  ingestion: async ({ authorization, xApiKey }) => pick(connections, xApiKey ?? authorization),
};

/** A limiter that counts what is let in and not yet out. */
class CountingLimiter implements Limiter {
  inProgress = 0;
  failures: string[] = [];
  refusals: string[] = [];
  refuse: WeirError | undefined;

  async admit() {
    if (this.refuse !== undefined) throw this.refuse;
    this.inProgress++;
    return {
      headers: { RateLimit: '"requests";r=1;t=1' },
      release: () => {
        this.inProgress--;
      },
    };
  }

  async refused(principal: DeveloperPrincipal | IngestionPrincipal) {
    this.refusals.push(principal.kind);
    return { RateLimit: '"requests";r=0;t=1' };
  }

  async failedCredential(address: string) {
    this.failures.push(address);
  }
}

const thing = z.strictObject({ name: z.string().min(1).max(10), value: z.number().optional() });
const nested: z.ZodType = z.lazy(() => z.array(nested));

/** Operations of every kind. */
export const operations: readonly Operation[] = [
  operation({
    id: 'things_list',
    method: 'GET',
    path: '/dev-api/v1/p/{project_id}/things',
    tag: 'Things',
    summary: 'List things',
    auth: 'developer',
    permission: 'developer_api.sites.list',
    params: { project_id: required(id, 'The project.') },
    query: {
      limit: withDefault(integer(1, 100), 50, 'How many.'),
      include_archived: withDefault(boolean, false, 'Archived too.'),
      cursor: optional(cursor, 'Where to go on.'),
      ids: optional(idList(1, 3), 'Which.'),
    },
    success: { status: 200, schema: z.unknown(), example: {} },
    errors: ['invalid_cursor'],
    handle: async ({ query }) => query,
  }),
  operation({
    id: 'things_create',
    method: 'POST',
    path: '/dev-api/v1/p/{project_id}/things',
    tag: 'Things',
    summary: 'Create a thing',
    auth: 'developer',
    permission: 'developer_api.sites.create',
    params: { project_id: required(id, 'The project.') },
    query: {},
    headers: { 'Idempotency-Key': optional(visibleAscii(255), 'A key.') },
    body: {
      schema: z.strictObject({
        name: z.string().max(10),
        things: z.array(thing).max(3).optional(),
        nested: nested.optional(),
        metadata: z.record(z.string(), z.string()).optional(),
      }),
      bytesMax: 1000,
      gzip: false,
      example: { name: 'a' },
    },
    success: { status: 201, schema: z.unknown(), example: {} },
    errors: ['name_conflict'],
    handle: async (request) => ({ body: request.body, key: request.header('idempotency-key') ?? null }),
  }),
  operation({
    id: 'things_read',
    method: 'GET',
    path: '/dev-api/v1/p/{project_id}/things/{thing_id}',
    tag: 'Things',
    summary: 'Read a thing',
    auth: 'developer',
    permission: 'developer_api.sites.read',
    params: { project_id: required(id, 'The project.'), thing_id: required(id, 'The thing.') },
    query: {},
    success: { status: 200, schema: z.strictObject({ id: z.string() }), example: { id: 'x' } },
    errors: ['not_found'],
    timeoutMs: 300,
    handle: async ({ params, signal }) => {
      switch (params.thing_id) {
        case 'text':
          return new JsonText('{"id":"text"}');
        case 'broken':
          throw new TypeError('a secret of the house');
        case 'undeclared':
          throw new WeirError('name_conflict', 'Taken.');
        case 'wrong':
          return { id: 1 };
        case 'slow':
          return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
        case 'deaf':
          return new Promise((resolve) => setTimeout(() => resolve({ id: 'late' }), 600));
        case 'away':
          throw new WeirError('dependency_unavailable', 'The store is away.', { retryAfterSeconds: 7 });
        default:
          throw new WeirError('not_found', 'There is no such thing.');
      }
    },
  }),
  operation({
    id: 'ingest',
    method: 'POST',
    path: '/v1/ingest',
    tag: 'Ingestion',
    summary: 'Ingest',
    auth: 'ingestion',
    params: {},
    query: {},
    body: {
      schema: z.strictObject({ data: z.array(z.unknown()) }),
      bytesMax: 1_000_000,
      gzip: true,
      example: { data: [] },
      read: (json) => json,
    },
    success: { status: 200, schema: z.unknown(), example: {} },
    errors: [],
    // what is read above is anything
    handle: async ({ body }) => ({ count: (body as { data?: unknown[] } | null)?.data?.length ?? 0 }),
  }),
];

/** What a test may want otherwise. */
export interface MachineOptions {
  readonly undeclared?: 'fail' | 'report';
  readonly trustedProxies?: readonly string[];
  readonly corsOrigins?: readonly string[];
  readonly isReady?: () => boolean;
  readonly drainMs?: number;
  readonly operations?: readonly Operation[];
  readonly timeoutMs?: number;
  readonly connectionsMax?: number;
  readonly heldBytesMax?: number;
  readonly sendTimeoutMs?: number;
}

/** Starts the machine alone, with keys `dev`, `dev-none`, `dev-other`, `ing` and `ing-off`. */
export async function startMachine(options: MachineOptions = {}) {
  const limiter = new CountingLimiter();
  const heldBytes = new HeldBytes(options.heldBytesMax ?? 100_000_000);
  const machine: Machine = {
    authenticator,
    limiter,
    publicLimit: publicLimit(100, 100, () => performance.now()),
    heldBytes,
    responseBytesMax: 100_000,
    bodyBytesMax: 10_000,
    trustTraceparent: false,
    undeclared: options.undeclared ?? 'fail',
    log: createLogger('test', 'silent'),
  };
  const routes = compileRoutes(options.operations ?? operations, options.timeoutMs ?? 5000);
  const server = await startHttpServer({
    listenAddress: '127.0.0.1:0',
    headerBytesMax: 65_536,
    headersTimeoutMs: 500,
    requestTimeoutMs: 2000,
    sendTimeoutMs: options.sendTimeoutMs ?? 60_000,
    keepAliveTimeoutMs: 5000,
    connectionsMax: options.connectionsMax ?? 1000,
    drainMs: options.drainMs ?? 0,
    clientAddress: clientAddress(options.trustedProxies ?? []),
    isReady: options.isReady ?? (() => true),
    dispatch: createDispatch(routes, machine, { corsOrigins: options.corsOrigins ?? [], direct: ['/v1/ingest'] }),
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    limiter,
    heldBytes,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
