import { Faults } from './faults.js';
import { type Actor, parseActor } from './parse-actor.js';
import { type Metadata, parseMetadata } from './parse-metadata.js';
import { anyNumber, parseNumber } from './parse-number.js';
import { parseFreeText, parseName } from './parse-text.js';
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

/** Checks a new site. @throws WeirError `invalid_request` with every fault */
export function parseNewSite(input: SiteFields & { readonly actor?: Actor | undefined }): SiteFields & {
  readonly actor: Actor;
} {
  const faults = new Faults();
  const site = {
    name: parseName(input.name, '/name', faults),
    description: parseFreeText(input.description, '/description', faults),
    latitude: parseNumber(input.latitude, '/latitude', { min: -90, max: 90 }, faults),
    longitude: parseNumber(input.longitude, '/longitude', { min: -180, max: 180 }, faults),
    elevationM: parseNumber(input.elevationM, '/elevation_m', anyNumber, faults),
    timezone: parseTimezone(input.timezone, '/timezone', faults),
    metadata: parseMetadata(input.metadata, '/metadata', faults),
    actor: parseActor(input.actor, '/actor', faults),
  };
  faults.throwIfAny();
  return site;
}
