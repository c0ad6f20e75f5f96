import type { CreateSiteRequest, Site, SitePatch } from '@weir/proto/variables';
import { z } from 'zod';
import type { Patch } from './patches.js';
import { exampleIds, recordExample, recordSchema, toRecordJson } from './records.js';
import { freeText, metadata, nameText, timezoneText } from './texts.js';

const latitude = z.number().min(-90).max(90).meta({ description: 'Degrees north.' });
const longitude = z.number().min(-180).max(180).meta({ description: 'Degrees east.' });
const elevation = z.number().meta({ description: 'Metres above sea level.' });

/** What a client says of a site. */
export const siteMembers = {
  name: nameText,
  description: freeText,
  latitude: latitude.nullable(),
  longitude: longitude.nullable(),
  elevation_m: elevation.nullable(),
  timezone: timezoneText,
  metadata,
};

/** What a client says of a new site. */
export const newSite = z.strictObject(siteMembers).partial().extend({ name: nameText });

const schema = recordSchema('Site', {
  name: z.string(),
  description: z.string(),
  latitude: latitude.nullable(),
  longitude: longitude.nullable(),
  elevation_m: elevation.nullable(),
  timezone: z.string().meta({ description: 'IANA time zone.' }),
  metadata: z.record(z.string(), z.string()),
});

const example: z.output<typeof schema> = recordExample(exampleIds.site, {
  name: 'North weir',
  description: 'Below the bridge',
  latitude: 52.0116,
  longitude: 4.3571,
  elevation_m: -0.4,
  timezone: 'Europe/Amsterdam',
  metadata: { owner: 'water board' },
});

/** A site in answers. */
export const siteShape = { schema, example };

/** A site as it is answered. */
export function toSiteJson(site: Site): z.output<typeof schema> {
  return toRecordJson(site, {
    name: site.name,
    description: site.description,
    latitude: site.latitude ?? null,
    longitude: site.longitude ?? null,
    elevation_m: site.elevationM ?? null,
    timezone: site.timezone,
    metadata: site.metadata,
  });
}

type NewSite = Omit<CreateSiteRequest, 'projectId' | 'actor'>;

/** A new site as the service takes it. */
export function fromNewSite(site: z.output<typeof newSite>): NewSite {
  return {
    name: site.name,
    description: site.description ?? '',
    latitude: site.latitude ?? undefined,
    longitude: site.longitude ?? undefined,
    elevationM: site.elevation_m ?? undefined,
    timezone: site.timezone ?? '',
    metadata: site.metadata ?? {},
  };
}

/** Changes of a site as the service takes them. */
export function fromSitePatch({ given, cleared }: Patch<typeof siteMembers>): SitePatch {
  return {
    name: given.name,
    description: given.description,
    latitude: given.latitude,
    longitude: given.longitude,
    elevationM: given.elevation_m,
    timezone: given.timezone,
    metadata: given.metadata && { entries: given.metadata },
    cleared,
  };
}
