import type { ListObservationsResponse, Position } from '@weir/proto/observations';
import type { Variable } from '@weir/proto/variables';

/**
 * The items of a page as JSON text: the columns stay the text that the database made of them. An item
 * stands for each variable that the page goes through, also for one that has nothing in the range; a
 * variable that the page before ended in stands again only with more observations.
 *
 * @param variables - in the order asked
 * @param after - where the page before ended
 */
export function itemsJson(
  variables: readonly Variable[],
  { series, nextAfter }: ListObservationsResponse,
  after: Position | undefined,
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
    items.push(`{${head},"timestamps":${page?.timestampsJson ?? '[]'},"values":${page?.valuesJson ?? '[]'}}`);
  }
  return `[${items.join(',')}]`;
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
