import { Faults } from '@weir/kit/faults';
import { type Given, ifGiven, parseCleared, toChange } from '@weir/kit/patches';
import { type Actor, parseActor, parseFreeText, parseName } from '@weir/kit/records';
import { type Metadata, parseMetadata } from './parse-metadata.js';
import { anyNumber, parseNumber } from './parse-number.js';
import { parseTimezone } from './parse-timezone.js';
import type { CatalogRecord } from './record.js';

/** What a client says of a site. */
export interface SiteFields {
  readonly name: string;
  readonly description: string;
  readonly latitude?: number | undefined;
  readonly longitude?: number | undefined;
  readonly elevationM?: number | undefined;
  /** IANA zone; empty means UTC */
  readonly timezone: string;
  readonly metadata: Metadata;
}

/** A place with its instruments. */
export interface Site extends SiteFields, CatalogRecord {}

function parsePosition(
  { latitude, longitude, elevationM }: Pick<SiteFields, 'latitude' | 'longitude' | 'elevationM'>,
  faults: Faults,
) {
  return {
    latitude: parseNumber(latitude, '/latitude', { min: -90, max: 90 }, faults),
    longitude: parseNumber(longitude, '/longitude', { min: -180, max: 180 }, faults),
    elevationM: parseNumber(elevationM, '/elevation_m', anyNumber, faults),
  };
}

/** Checks a new site. @throws WeirError `invalid_request` with every fault */
export function parseNewSite(input: SiteFields & { readonly actor?: Actor | undefined }): SiteFields & {
  readonly actor: Actor;
} {
  const faults = new Faults();
  const site = {
    name: parseName(input.name, '/name', faults),
    description: parseFreeText(input.description, '/description', faults),
    ...parsePosition(input, faults),
    timezone: input.timezone === '' ? 'UTC' : parseTimezone(input.timezone, '/timezone', faults),
    metadata: parseMetadata(input.metadata, '/metadata', faults),
    actor: parseActor(input.actor, '/actor', faults),
  };
  faults.throwIfAny();
  return site;
}

/** What a patch says of a site. */
interface SitePatchInput extends Given<Omit<SiteFields, 'metadata'>> {
  readonly metadata?: { readonly entries: Metadata } | undefined;
  /** Names of members, as clients know them, that are set to null. */
  readonly cleared: readonly string[];
}

const nullableMembers = { latitude: 'latitude', longitude: 'longitude', elevation_m: 'elevationM' } as const;

/** Checks a patch of a site. @throws WeirError `invalid_request` with every fault */
export function parseSitePatch(patch: SitePatchInput | undefined): Partial<SiteFields> {
  const faults = new Faults();
  const given = {
    name: ifGiven(patch?.name, (name) => parseName(name, '/name', faults)),
    description: parseFreeText(patch?.description, '/description', faults),
    ...parsePosition(patch ?? {}, faults),
    timezone: ifGiven(patch?.timezone, (timezone) => parseTimezone(timezone, '/timezone', faults)),
    metadata: ifGiven(patch?.metadata, ({ entries }) => parseMetadata(entries, '/metadata', faults)),
  };
  const cleared = parseCleared(patch?.cleared ?? [], nullableMembers, faults);
  faults.throwIfAny();
  return toChange<SiteFields>(given, cleared);
}
