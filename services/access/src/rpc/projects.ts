import { notFound } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { isId, newId } from '@weir/kit/ids';
import { cutPage, parsePage } from '@weir/kit/pages';
import { parseActor, parseName } from '@weir/kit/records';
import type { Db } from '@weir/kit/sql';
import type {
  CreateProjectRequest,
  CreateProjectResponse,
  ListProjectsRequest,
  ListProjectsResponse,
} from '@weir/proto/access';
import { selectOrganizationId } from '../store/organizations.js';
import { insertProject, selectProjects } from '../store/projects.js';

/** Creates a project. Its name is unique within its organization. */
export async function createProject(db: Db, request: CreateProjectRequest): Promise<CreateProjectResponse> {
  const faults = new Faults();
  const name = parseName(request.name, '/name', faults);
  const actor = parseActor(request.actor, '/actor', faults);
  faults.throwIfAny();
  const { organizationId } = request;
  if (!isId(organizationId)) throw notFound('organization');
  return { project: await insertProject.one(db, { id: newId(), organizationId, name, actor }) };
}

/** Lists the projects of an organization, or all, in order of creation. */
export async function listProjects(db: Db, request: ListProjectsRequest): Promise<ListProjectsResponse> {
  const page = parsePage(request);
  const organizationId = request.organizationId === '' ? null : request.organizationId;
  if (organizationId !== null && !isId(organizationId)) throw notFound('organization');
  const read = await selectProjects.all(db, { ...page, organizationId });
  const { records, nextAfter } = cutPage(read, page.readMax, ({ id }) => id);
  if (records.length === 0 && organizationId !== null) {
    const organization = await selectOrganizationId.maybe(db, { id: organizationId });
    if (organization === undefined) throw notFound('organization');
  }
  return { projects: [...records], nextAfter };
}
