import { print } from '@weir/expression';
import { formatInstant, parseInstant } from '@weir/kit/time';
import type { Point } from '../harness/api.js';
import { type ProjectApi, projectApiOf } from '../harness/project-api.js';
import type { Tenant } from '../harness/tenant.js';
import type { Readable } from './arbitrary-pieces.js';
import type { Computation, Entry, Piece } from './final-state.js';

/** A record of the catalog, and what the test knows of it. */
export interface Known {
  readonly key: string;
  readonly id: string;
  /** Its path below the project. */
  readonly path: string;
  isArchived: boolean;
}

/** What belongs to an instrument, and has an alias there. */
interface Named extends Known {
  readonly instrument: Instrument;
  alias: string;
}

export interface Instrument extends Known {
  readonly name: string;
}

export interface Ingested extends Named {
  readonly name: string;
}

export interface Constant extends Named {
  steps: readonly Entry[];
}

export interface Calculated extends Named {
  computation: Computation;
}

/** One point as it was admitted: values by the key of their variable. */
export interface AdmittedPoint {
  readonly runId: string;
  readonly atUs: number;
  readonly values: ReadonlyMap<string, number>;
}

/** A project, and all that was done in it. */
export interface World {
  readonly tenant: Tenant;
  readonly project: ProjectApi;
  readonly instruments: Instrument[];
  readonly ingested: Ingested[];
  readonly constants: Constant[];
  /** Each reads only what stands before it. */
  readonly calculated: Calculated[];
  /** Requests in the order in which they were admitted. */
  readonly requests: (readonly Point[])[];
  readonly points: AdmittedPoint[];
}

/** Whether anything may read it: itself and its instrument are active. */
export function isActive(record: Known & { readonly instrument?: Instrument }): boolean {
  return !record.isArchived && record.instrument?.isArchived !== true;
}

/** A project with instruments that measure `a` and `b`, and have the constants `k` and `m`. */
export async function createWorld(
  gatewayUrl: string,
  tenant: Tenant,
  options: { readonly instruments: number; readonly steps: () => readonly Entry[] },
): Promise<World> {
  const project = projectApiOf(gatewayUrl, tenant);
  const world: World = {
    tenant,
    project,
    instruments: [],
    ingested: [],
    constants: [],
    calculated: [],
    requests: [],
    points: [],
  };
  for (let at = 0; at < options.instruments; at++) {
    const name = `Logger ${at}`;
    const { id } = await project.done('POST', '/instruments', { name });
    const instrument = { key: `i${at}`, id, name, path: `/instruments/${id}`, isArchived: false };
    world.instruments.push(instrument);
    for (const alias of ['a', 'b']) {
      const path = `${instrument.path}/ingested-variables`;
      const made = await project.done('POST', path, { name: alias });
      const known = { id: made.id, path: `${path}/${made.id}`, isArchived: false };
      world.ingested.push({ ...known, key: `${instrument.key}.${alias}`, instrument, name: alias, alias });
    }
    for (const alias of ['k', 'm']) {
      const path = `${instrument.path}/calibration-constants`;
      const steps = options.steps();
      const { resource } = await project.done('POST', path, { name: alias, values: toValues(steps) });
      const known = { id: resource.id, path: `${path}/${resource.id}`, isArchived: false };
      world.constants.push({ ...known, key: `${instrument.key}.${alias}`, instrument, alias, steps });
    }
  }
  return world;
}

/** Steps of a constant as a client writes them. */
export function toValues(steps: readonly Entry[]): { start_time: string; value: number }[] {
  return steps.map(([atUs, value]) => ({ start_time: formatInstant(atUs), value }));
}

/** Calculations as a client writes them. */
export function toCalculations(world: World, pieces: readonly Piece[]) {
  const variables = new Map([...world.ingested, ...world.calculated].map((variable) => [variable.key, variable]));
  const constants = new Map(world.constants.map((constant) => [constant.key, constant]));
  return pieces.map(({ startUs, expression, inputs }) => ({
    start_time: formatInstant(startUs),
    expression: print(expression),
    inputs: inputs.map(({ id, kind, of, bufferS }) => {
      if (kind === 'constant') return { id, kind, constant_id: constants.get(of)?.id };
      const variable = variables.get(of);
      const source = kind === 'self_variable' ? {} : { source_instrument_id: variable?.instrument.id };
      const buffer = bufferS === undefined ? {} : { past_buffer_seconds: bufferS };
      return { id, kind, variable_id: variable?.id, ...source, ...buffer };
    }),
  }));
}

/** All that calculations of an instrument may read now, of what stands before a calculated variable. */
export function readableOf(world: World, instrument: Instrument, before?: Calculated): Readable[] {
  const end = before === undefined ? world.calculated.length : world.calculated.indexOf(before);
  const variables = [...world.ingested, ...world.calculated.slice(0, end)].filter(isActive);
  const constants = world.constants.filter((constant) => constant.instrument === instrument && isActive(constant));
  return [
    ...variables.map(({ key, alias, instrument: of }) => ({
      key,
      alias,
      kind: of === instrument ? ('self_variable' as const) : ('instrument_variable' as const),
    })),
    ...constants.map(({ key, alias }) => ({ key, alias, kind: 'constant' as const })),
  ];
}

/** Microseconds since 1970 of an instant as the API has it. */
export function usOf(instant: string): number {
  return parseInstant(instant) ?? Number.NaN;
}
