import { WeirError } from '@weir/kit/errors';
import { addressBucket } from '../limits/address-bucket.js';
import { countHeader } from './count-header.js';
import { ClientGone, type Exchange } from './exchange.js';
import { Faults } from './faults.js';
import type { Machine } from './machine.js';
import type { DeveloperPrincipal, IngestionPrincipal, Operation } from './operation.js';
import type { Admission } from './ports.js';
import { textRule } from './read-request.js';

/** The admission of a call that no key limits. */
const free: Admission = { headers: {}, release: () => undefined };

/** Whether a header that carries a key stands twice: then nobody can tell whose request it is. */
function hasTwoKeys(exchange: Exchange): boolean {
  return countHeader(exchange.req, 'authorization') > 1 || countHeader(exchange.req, 'x-api-key') > 1;
}

async function authenticate(
  operation: Operation,
  exchange: Exchange,
  machine: Machine,
): Promise<DeveloperPrincipal | IngestionPrincipal> {
  const { req, address } = exchange;
  const apiKey = req.headers['x-api-key'];
  const headers = {
    authorization: req.headers.authorization,
    xApiKey: Array.isArray(apiKey) ? apiKey[0] : apiKey,
  };
  try {
    if (hasTwoKeys(exchange))
      throw new WeirError('invalid_credential', 'The key is given twice; send it in one header, once.');
    return await (operation.auth === 'developer'
      ? machine.authenticator.developer(headers, exchange)
      : machine.authenticator.ingestion(headers, exchange));
  } catch (error) {
    const isRefused =
      error instanceof WeirError && (error.code === 'unauthenticated' || error.code === 'invalid_credential');
    // who leaves before the answer would try keys for nothing
    if (isRefused || exchange.abortReason instanceof ClientGone) await machine.limiter.failedCredential(address);
    throw error;
  }
}

/** The project of the path must be well-formed (400) and the key's own (403). */
function checkProject(operation: Operation, projectId: string | undefined, principal: DeveloperPrincipal): void {
  const parameter = operation.params['project_id'];
  if (parameter === undefined) return;
  const parsed = parameter.parse(projectId ?? '');
  if ('fault' in parsed || projectId?.includes('\0') === true) {
    const faults = new Faults();
    const { code, message } = 'fault' in parsed ? parsed.fault : { code: 'invalid_text', message: textRule };
    faults.add('path/project_id', code, message);
    faults.throwIfAny();
  }
  if (projectId?.toLowerCase() !== principal.projectId)
    throw new WeirError('project_scope_mismatch', 'The key belongs to another project than the one in the path.');
}

function checkPermission(operation: Operation, principal: DeveloperPrincipal | IngestionPrincipal): void {
  if (principal.kind === 'ingestion') {
    if (!principal.enabled)
      throw new WeirError('permission_denied', 'The ingestion connection of this key is disabled.');
  } else if (operation.permission !== undefined && !principal.permissions.includes(operation.permission)) {
    throw new WeirError('permission_denied', `The key lacks the permission ${operation.permission}.`);
  }
}

/**
 * Lets a request in, or refuses it: key (401), scope of the project (400, 403), permission (403),
 * limits (429), in this order. The exchange knows its principal afterwards.
 */
export async function admit(
  operation: Operation,
  exchange: Exchange,
  machine: Machine,
  projectId: string | undefined,
): Promise<Admission> {
  if (operation.auth === 'none') {
    Object.assign(exchange.headers, machine.publicLimit(addressBucket(exchange.address)));
    return free;
  }
  const principal = await exchange.within(authenticate(operation, exchange, machine));
  exchange.principal = principal;
  try {
    if (principal.kind === 'developer') checkProject(operation, projectId, principal);
    checkPermission(operation, principal);
  } catch (error) {
    Object.assign(exchange.headers, await machine.limiter.refused(principal));
    throw error;
  }
  const admission = await machine.limiter.admit(principal, operation);
  Object.assign(exchange.headers, admission.headers);
  return admission;
}
