import { Faults } from '@weir/kit/faults';
import { newId } from '@weir/kit/ids';
import { cutPage, parsePage } from '@weir/kit/pages';
import { parseActor, parseName } from '@weir/kit/records';
import type { Db } from '@weir/kit/sql';
import type {
  CreateOrganizationRequest,
  CreateOrganizationResponse,
  ListOrganizationsRequest,
  ListOrganizationsResponse,
} from '@weir/proto/access';
import { insertOrganization, selectOrganizations } from '../store/organizations.js';

/** Creates an organization. Its name is unique. */
export async function createOrganization(
  db: Db,
  request: CreateOrganizationRequest,
): Promise<CreateOrganizationResponse> {
  const faults = new Faults();
  const name = parseName(request.name, '/name', faults);
  const actor = parseActor(request.actor, '/actor', faults);
  faults.throwIfAny();
  return { organization: await insertOrganization.one(db, { id: newId(), name, actor }) };
}

/** Lists organizations in order of creation. */
export async function listOrganizations(db: Db, request: ListOrganizationsRequest): Promise<ListOrganizationsResponse> {
  const page = parsePage(request);
  const { records, nextAfter } = cutPage(await selectOrganizations.all(db, page), page.readMax, ({ id }) => id);
  return { organizations: [...records], nextAfter };
}
