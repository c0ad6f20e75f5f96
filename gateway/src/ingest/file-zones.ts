import { faultError, WeirError } from '@weir/kit/errors';
import type { ParserConfiguration } from '@weir/parser-configuration';
import type { Clients } from '../clients/clients.js';
import type { IngestionPrincipal } from '../http/operation.js';
import { persist } from './persist.js';

/** The methods of the variables service that tell zones. */
export type ZonesClient = Pick<Clients['variables'], 'getSite' | 'getInstrumentZones'>;

/** Names that are asked for at once, at most. */
const namesMax = 1000;
const utc = 'UTC';

/** A file's request, as far as zones depend on it. */
interface ZoneContext {
  readonly principal: Pick<IngestionPrincipal, 'projectId'>;
  readonly siteId: string | undefined;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

function badSite(code: string, message: string): WeirError {
  return faultError('invalid_request', { path: 'query/site_id', code, message });
}

/** The error for a site that the project does not have. */
export function unknownSite(): WeirError {
  return badSite('site_not_found', 'The project has no such site; give the id of one, or leave it out.');
}

async function siteZone(client: ZonesClient, siteId: string, context: ZoneContext): Promise<string> {
  const { principal, requestId, signal } = context;
  try {
    const { site } = await client.getSite(
      { projectId: principal.projectId, siteId, includeArchived: true },
      { requestId, signal },
    );
    // no point of the file could be stored
    if (site?.lifecycle?.archivedAtUs !== undefined)
      throw badSite('site_archived', 'The site is archived; restore it, give the id of another, or leave it out.');
    return site?.timezone ?? utc;
  } catch (error) {
    throw error instanceof WeirError && error.code === 'not_found' ? unknownSite() : error;
  }
}

/** The instruments that a configuration names itself. */
function namedInstruments({ instrument, data_layout: layout }: ParserConfiguration): string[] {
  const mapped = layout.layout === 'one_data_point_per_row' ? layout.variable_mappings : [];
  return [instrument.name, ...mapped.map((mapping) => mapping.instrument_name)].filter((name) => name !== undefined);
}

/**
 * Opens what tells the zones of a file's instruments: the one of the site that the request names, else
 * those of the sites where the instruments stand, else UTC.
 *
 * @throws WeirError `invalid_request` when there is no such site, or it is archived
 */
export async function openZones(
  client: ZonesClient,
  context: ZoneContext,
  configuration: ParserConfiguration,
): Promise<(instrumentName: string) => Promise<string>> {
  const { principal, siteId, requestId, signal } = context;
  if (siteId !== undefined) {
    const zone = await siteZone(client, siteId, context);
    return () => Promise.resolve(zone);
  }
  const known = new Map<string, string>();
  let others = namedInstruments(configuration);
  return async (instrumentName) => {
    const zone = known.get(instrumentName);
    if (zone !== undefined) return zone;
    const instrumentNames = [...new Set([instrumentName, ...others])].slice(0, namesMax);
    others = [];
    const asked = { projectId: principal.projectId, instrumentNames };
    const { timezones } = await persist(() => client.getInstrumentZones(asked, { requestId, signal }), signal);
    for (const [index, name] of instrumentNames.entries()) known.set(name, timezones[index] || utc);
    return known.get(instrumentName) ?? utc;
  };
}
