import type { Site } from '@weir/proto/variables';
import type { Clients } from '../clients/clients.js';
import type { Operation } from '../http/operation.js';
import { fromNewSite, fromSitePatch, newSite, siteMembers, siteShape, toSiteJson } from '../schemas/sites.js';
import { present } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

function toJson({ site }: { readonly site: Site | undefined }) {
  return toSiteJson(present(site));
}

/** The operations on sites. */
export function sitesOperations(
  dependencies: FamilyDependencies & { readonly variables: Clients['variables'] },
): readonly Operation[] {
  const { variables } = dependencies;
  const sites = recordFamily(
    {
      name: 'sites',
      tag: 'Sites',
      one: 'a site',
      many: 'sites',
      collection: '/sites',
      id: 'site_id',
      record: siteShape,
      written: siteShape,
    },
    dependencies,
  );
  const { example } = siteShape;
  return [
    sites.list({ filters: {} }, async ({ key, options }, page) => {
      const { sites: found, nextAfter } = await variables.listSites({ ...key, ...page }, options);
      return { items: found.map(toSiteJson), nextAfter };
    }),
    sites.create(
      {
        body: newSite,
        example: {
          name: example.name,
          description: example.description,
          latitude: example.latitude,
          longitude: example.longitude,
          elevation_m: example.elevation_m,
          timezone: example.timezone,
          metadata: example.metadata,
        },
        description: 'Only `name` is required. The time zone is UTC unless given.',
      },
      async ({ key, actor, options }, site) =>
        toJson(await variables.createSite({ ...key, ...fromNewSite(site), actor }, options)),
    ),
    sites.read(async ({ key, options }, includeArchived) =>
      toJson(await variables.getSite({ ...key, includeArchived }, options)),
    ),
    sites.update(
      {
        members: siteMembers,
        example: { expected_revision: 1, description: 'Above the bridge', elevation_m: null },
      },
      async ({ key, actor, options }, patch) => {
        const request = { ...key, expectedRevision: patch.expectedRevision, patch: fromSitePatch(patch), actor };
        return toJson(await variables.updateSite(request, options));
      },
    ),
    sites.archive(async ({ key, actor, options }) => toJson(await variables.archiveSite({ ...key, actor }, options)), {
      description: 'A site with active instruments is not archived.',
      errors: ['dependency_conflict'],
    }),
    sites.restore(async ({ key, actor, options }) => toJson(await variables.restoreSite({ ...key, actor }, options))),
  ];
}
