import { newId } from '@weir/kit/ids';
import type { Db } from '@weir/kit/sql';
import type {
  CreateOrganizationRequest,
  CreateOrganizationResponse,
  ListOrganizationsRequest,
  ListOrganizationsResponse,
} from '@weir/proto/access';
import { Faults } from '../domain/faults.js';
import { insertOrganization, selectOrganizations } from '../store/organizations.js';
import { readPage, toPage } from './page.js';

/** Creates an organization. Its name is unique. */
export async function createOrganization(
  db: Db,
  request: CreateOrganizationRequest,
): Promise<CreateOrganizationResponse> {
  const faults = new Faults();
  const name = faults.name(request.name);
  const actor = faults.actor(request.actor);
  faults.end();
  return { organization: await insertOrganization.one(db, { id: newId(), name, actor }) };
}

/** Lists organizations in order of creation. */
export async function listOrganizations(db: Db, request: ListOrganizationsRequest): Promise<ListOrganizationsResponse> {
  const page = readPage(request);
  const { rows, nextAfter } = toPage(await selectOrganizations.all(db, page), page);
  return { organizations: rows, nextAfter };
}
