import { randomBytes } from 'node:crypto';
import { allPermissions } from '@weir/kit/permissions';
import { connect } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';

/** A project of a test's own, with a Developer key that may do everything and an ingestion key. */
export interface Tenant {
  readonly organizationId: string;
  readonly projectId: string;
  readonly developerKey: string;
  readonly developerKeyId: string;
  readonly ingestionKey: string;
  readonly connectionId: string;
}

/** Makes a tenant through the access service. */
export async function createTenant(
  accessAddress: string,
  options: { readonly provisioning?: 'automatic' | 'strict'; readonly permissions?: readonly string[] } = {},
): Promise<Tenant> {
  using access = connect(AccessServiceDefinition, accessAddress);
  const actor = { type: 'user', id: 'test' };
  const name = `test-${randomBytes(6).toString('hex')}`;
  const { organization } = await access.createOrganization({ name, actor });
  const organizationId = organization?.id ?? '';
  const { project } = await access.createProject({ organizationId, name, actor });
  const projectId = project?.id ?? '';
  const permissions = [...(options.permissions ?? allPermissions)];
  const developer = await access.createDeveloperKey({ projectId, name, permissions, actor });
  const provisioning = options.provisioning ?? 'automatic';
  const ingestion = await access.createConnection({ projectId, name, provisioning, actor });
  return {
    organizationId,
    projectId,
    developerKey: developer.plaintext,
    developerKeyId: developer.key?.id ?? '',
    ingestionKey: ingestion.plaintext,
    connectionId: ingestion.connection?.id ?? '',
  };
}
