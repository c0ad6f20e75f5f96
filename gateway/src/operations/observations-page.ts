import { formatInstant } from '@weir/kit/time';
import type { ListObservationsResponse, Position, Range } from '@weir/proto/observations';
import type { ObservedVariable } from '../clients/observed-variables.js';

/**
 * The items of a page as JSON text: the columns stay the text that the database made of them. An item
 * stands for each variable that the page goes through, also for one that has nothing in the range; a
 * variable that the page before ended in stands again only with more observations.
 *
 * @param variables - in the order asked
 * @param after - where the page before ended
 * @param tellsRanges - whether each item says which changed ranges it covers
 */
export function itemsJson(
  variables: readonly ObservedVariable[],
  { series, nextAfter }: ListObservationsResponse,
  after: Position | undefined,
  tellsRanges = false,
): string {
  const pages = new Map(series.map((page) => [page.variableKey, page]));
  const end = nextAfter === undefined ? variables.length : nextAfter.seriesIndex + 1;
  const items: string[] = [];
  for (let index = after?.seriesIndex ?? 0; index < end; index++) {
    const variable = variables[index];
    if (variable === undefined) break;
    const page = pages.get(variable.variableKey);
    if (page === undefined && index === after?.seriesIndex) continue;
    const head = `"variable_id":${JSON.stringify(variable.id)},"unit":${JSON.stringify(variable.unit ?? null)}`;
    const ranges = tellsRanges
      ? `,"changed_ranges":${JSON.stringify((page?.changedRanges ?? []).map(toRangeJson))}`
      : '';
    const columns = `"timestamps":${page?.timestampsJson ?? '[]'},"values":${page?.valuesJson ?? '[]'}`;
    items.push(`{${head}${ranges},${columns}}`);
  }
  return `[${items.join(',')}]`;
}

function toRangeJson({ startUs, endUs }: Range): { readonly start: string; readonly end: string } {
  return { start: formatInstant(startUs), end: formatInstant(endUs) };
}

/** A position as a cursor carries it. */
export function writePosition({ seriesIndex, atUs }: Position): string {
  return `${seriesIndex} ${atUs}`;
}

/** Reads what `writePosition` wrote. */
export function readPosition(text: string): Position {
  const [seriesIndex, atUs] = text.split(' ');
  return { seriesIndex: Number(seriesIndex), atUs: Number(atUs) };
}
