import { print } from '@weir/expression';
import { formatInstant } from '@weir/kit/time';
import { type Api, apiOf, type RunSummary } from '../harness/api.js';
import type { Entry, FinalState } from './final-state.js';
import { expectedResults } from './reference.js';
import { type AdmittedPoint, isActive, usOf, type World } from './world.js';

/** How many differences of one variable are told. */
const shownMax = 5;

/** What was checked. */
export interface Checked {
  readonly variables: number;
  readonly values: number;
  readonly missing: number;
}

/** All runs of a project's connection in a state. */
async function runsOf(api: Api, state: string): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor = '';
  do {
    const { body } = await api.request<{ data: { items: RunSummary[]; next_cursor: string | null } }>(
      'GET',
      `/v1/ingest/runs?state=${state}&limit=100${cursor}`,
    );
    for (const run of body.data.items) ids.add(run.run_id);
    cursor = body.data.next_cursor === null ? '' : `&cursor=${encodeURIComponent(body.data.next_cursor)}`;
  } while (cursor !== '');
  return ids;
}

/** Of all points whose run did not fail, the last admitted one wins. */
function observationsOf(points: readonly AdmittedPoint[], failed: ReadonlySet<string>): Map<string, Entry[]> {
  const series = new Map<string, Map<number, number>>();
  for (const { runId, atUs, values } of points) {
    if (failed.has(runId)) continue;
    for (const [key, value] of values) {
      const entries = series.get(key) ?? new Map<number, number>();
      series.set(key, entries.set(atUs, value));
    }
  }
  return new Map([...series].map(([key, entries]) => [key, [...entries].sort(([a], [b]) => a - b)]));
}

function stateOf(world: World, observations: ReadonlyMap<string, readonly Entry[]>): FinalState {
  const { ingested, constants, calculated } = world;
  return {
    aliases: new Map([...ingested, ...constants, ...calculated].map(({ key, alias }) => [key, alias])),
    constants: new Map(constants.map(({ key, steps }) => [key, steps])),
    observations,
    calculated: new Map(calculated.filter(isActive).map(({ key, computation }) => [key, computation])),
  };
}

/** What is stored otherwise than expected, in so many lines at most. */
function differences(stored: readonly Entry[], expected: readonly Entry[]): string[] {
  const [has, should] = [new Map(stored), new Map(expected)];
  const instants = [...new Set([...has.keys(), ...should.keys()])].sort((a, b) => a - b);
  const lines = instants
    .filter((atUs) => !Object.is(has.get(atUs), should.get(atUs)))
    .map((atUs) => `  ${formatInstant(atUs)}: ${has.get(atUs)} is stored, ${should.get(atUs)} expected`);
  const further = lines.length - shownMax;
  return further > 0 ? [...lines.slice(0, shownMax), `  and ${further} more of ${instants.length}`] : lines;
}

/** A calculated variable for a person who looks into a failure. */
function shown(world: World, key: string): string {
  const variable = world.calculated.find((one) => one.key === key);
  if (variable === undefined) return key;
  const pieces = variable.computation.pieces
    .toSorted((a, b) => a.startUs - b.startUs)
    .map(({ startUs, expression, inputs }) => {
      const read = inputs.map(({ id, kind, of, bufferS }) => `${id} is ${kind} ${of} ${bufferS ?? ''}`);
      return `  from ${formatInstant(startUs)}: ${print(expression)}\n    ${read.join('\n    ')}`;
    });
  return [`${key} (${variable.id}), ${variable.computation.valueType}`, ...pieces].join('\n');
}

/**
 * Compares all that active variables have with what they should have, bit for bit.
 *
 * @throws Error that tells every variable with a difference
 */
export async function checkWorld(world: World, gatewayUrl: string): Promise<Checked> {
  const api = apiOf(gatewayUrl, world.tenant);
  const observations = observationsOf(world.points, await runsOf(api, 'failed'));
  const results = expectedResults(stateOf(world, observations));
  const faults: string[] = [];
  let [values, missing] = [0, 0];
  const read = [...world.ingested, ...world.calculated].filter(isActive);
  for (const { key, id } of read) {
    const { timestamps, values: stored } = await api.observations(id);
    const entries = timestamps.map((instant, at): Entry => [usOf(instant), stored[at] as number]);
    const expected = results.get(key)?.entries ?? observations.get(key) ?? [];
    const lines = differences(entries, expected);
    if (lines.length > 0) faults.push([shown(world, key), ...lines].join('\n'));
    if (!results.has(key)) continue;
    values += expected.length;
    missing += results.get(key)?.missing.length ?? 0;
  }
  if (faults.length > 0) throw new Error(`${faults.length} of ${read.length} variables differ:\n${faults.join('\n')}`);
  return { variables: results.size, values, missing };
}
