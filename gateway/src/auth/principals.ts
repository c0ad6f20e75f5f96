import { WeirError } from '@weir/kit/errors';
import type { AuthenticateDeveloperKeyResponse, AuthenticateIngestionKeyResponse } from '@weir/proto/access';
import type { DeveloperPrincipal, IngestionPrincipal } from '../http/operation.js';

const incomplete = () => new WeirError('internal', 'The access service told nothing of a key that it accepted.');

/** Who an accepted Developer API key stands for. */
export function toDeveloperPrincipal(answer: AuthenticateDeveloperKeyResponse): DeveloperPrincipal {
  const { organizationId, projectId, key } = answer;
  if (key === undefined) throw incomplete();
  return {
    kind: 'developer',
    organizationId,
    projectId,
    keyId: key.id,
    keyName: key.name,
    permissions: key.permissions,
    createdAtUs: key.createdAtUs,
    expiresAtUs: key.expiresAtUs,
  };
}

/** The connection that an accepted ingestion key belongs to. */
export function toIngestionPrincipal(answer: AuthenticateIngestionKeyResponse): IngestionPrincipal {
  const { organizationId, connection } = answer;
  if (connection === undefined) throw incomplete();
  return {
    kind: 'ingestion',
    organizationId,
    projectId: connection.projectId,
    connectionId: connection.id,
    provisioning: connection.provisioning === 'strict' ? 'strict' : 'automatic',
    enabled: connection.enabled,
  };
}
