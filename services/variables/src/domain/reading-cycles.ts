import { type ErrorDetail, WeirError } from '@weir/kit/errors';
import { shownName } from '@weir/kit/faults';
import type { NewCalculation } from './calculation.js';
import { locateInputs } from './calculation-references.js';

/** A message names so many variables of a cycle, and an answer so many cycles. */
const namesShownMax = 10;
const cyclesShownMax = 10;

/** A calculated variable that reads another variable. */
export interface Reading {
  readonly readerId: string;
  readonly readerName: string;
  readonly readId: string;
}

/** For each variable that reads `target`, through however many others: the next one on a shortest way there. */
function waysTo(target: string, readings: readonly Reading[]): ReadonlyMap<string, Reading> {
  const readersOf = Map.groupBy(readings, ({ readId }) => readId);
  const ways = new Map<string, Reading>();
  const reached = [target];
  for (const id of reached) {
    for (const reading of readersOf.get(id) ?? []) {
      if (ways.has(reading.readerId)) continue;
      ways.set(reading.readerId, reading);
      reached.push(reading.readerId);
    }
  }
  return ways;
}

/** Names the variables of a cycle; of a long one its first and its last. */
function chainOf(names: readonly string[]): string {
  const shown = names.map(shownName);
  const omitted = shown.length - namesShownMax;
  if (omitted > 0) shown.splice(namesShownMax - 1, omitted, `… (${omitted} more)`);
  return shown.join(', which reads ');
}

/**
 * Refuses calculations by which a variable would read itself.
 *
 * @param calculations - in the order of the request
 * @param readings - what the variables that they read, read in turn
 * @throws WeirError `dependency_conflict`, the details naming each cycle
 */
export function refuseCycles(
  variable: { readonly id: string; readonly name: string },
  calculations: readonly NewCalculation[],
  readings: readonly Reading[],
): void {
  const ways = waysTo(variable.id, readings);
  const details: ErrorDetail[] = [];
  for (const { input, path } of locateInputs(calculations)) {
    const first = input.variableId;
    if (first === undefined || (first !== variable.id && !ways.has(first))) continue;
    const names: string[] = [];
    for (let way = ways.get(first); way !== undefined; way = ways.get(way.readId)) names.push(way.readerName);
    names.push(variable.name);
    const message = `${shownName(variable.name)} would read itself: it reads ${chainOf(names)}.`;
    details.push({ path: `${path}/variable_id`, code: 'cycle', message });
  }
  if (details.length > 0) {
    throw new WeirError('dependency_conflict', 'The variable would read itself; the details tell how.', {
      details: details.slice(0, cyclesShownMax),
    });
  }
}
