import { notFound } from '@weir/kit/errors';
import { isId, newId } from '@weir/kit/ids';
import type { Db } from '@weir/kit/sql';
import type {
  CreateProjectRequest,
  CreateProjectResponse,
  ListProjectsRequest,
  ListProjectsResponse,
} from '@weir/proto/access';
import { Faults } from '../domain/faults.js';
import { selectOrganizationId } from '../store/organizations.js';
import { insertProject, selectProjects } from '../store/projects.js';
import { readPage, toPage } from './page.js';

/** Creates a project. Its name is unique within its organization. */
export async function createProject(db: Db, request: CreateProjectRequest): Promise<CreateProjectResponse> {
  const faults = new Faults();
  const name = faults.name(request.name);
  const actor = faults.actor(request.actor);
  faults.end();
  const { organizationId } = request;
  if (!isId(organizationId)) throw notFound('organization');
  return { project: await insertProject.one(db, { id: newId(), organizationId, name, actor }) };
}

/** Lists the projects of an organization, or all, in order of creation. */
export async function listProjects(db: Db, request: ListProjectsRequest): Promise<ListProjectsResponse> {
  const page = readPage(request);
  const organizationId = request.organizationId === '' ? null : request.organizationId;
  if (organizationId !== null && !isId(organizationId)) throw notFound('organization');
  const { rows, nextAfter } = toPage(await selectProjects.all(db, { ...page, organizationId }), page);
  if (rows.length === 0 && organizationId !== null) {
    const organization = await selectOrganizationId.maybe(db, { id: organizationId });
    if (organization === undefined) throw notFound('organization');
  }
  return { projects: rows, nextAfter };
}
