import { setTimeout as delay } from 'node:timers/promises';
import { formatInstant } from '@weir/kit/time';
import { type Api, apiOf, type Point } from '../harness/api.js';
import { anyPiece } from './arbitrary-pieces.js';
import type { Choices } from './choices.js';
import { type Computation, type Entry, type Piece, valueTypes } from './final-state.js';
import {
  type Calculated,
  type Instrument,
  isActive,
  type Known,
  readableOf,
  toCalculations,
  toValues,
  usOf,
  type World,
} from './world.js';

/** All of it happens in so many minutes. */
const minutes = 240;
const calculatedMax = 30;
const startUs = Date.UTC(2026, 0, 1) * 1000;
const minuteUs = 60_000_000;

/** What changes of a world need. */
export interface Hands {
  readonly world: World;
  readonly choices: Choices;
  readonly api: Api;
}

/** Hands that work on a world by the choices of a seed. */
export function handsOn(world: World, choices: Choices, gatewayUrl: string): Hands {
  return { world, choices, api: apiOf(gatewayUrl, world.tenant) };
}

/** An instant; most are those of other series too. */
export function anyInstant(choices: Choices): number {
  const offset = choices.weighted([
    [12, 0],
    [1, 1],
    [1, 500_000],
    [1, 30_000_000],
  ]);
  return startUs + choices.between(0, minutes - 1) * minuteUs + offset;
}

/** Steps, the first mostly before all observations. */
export function anySteps(choices: Choices): Entry[] {
  const count = choices.between(1, 4);
  const starts = new Set([choices.isTrue(80) ? startUs - minuteUs : anyInstant(choices)]);
  while (starts.size < count) starts.add(anyInstant(choices));
  return [...starts].sort((a, b) => a - b).map((atUs) => [atUs, choices.value()]);
}

/** Does a write: whether it was done, or refused for the state of other records, as it may be. */
async function isDone({ world }: Hands, method: string, path: string, json?: unknown): Promise<boolean> {
  const { status, error } = await world.project.call(method, path, json);
  if (status < 300) return true;
  const mayBe = status === 404 || status === 409;
  if (!mayBe) throw new Error(`${method} ${path} ${JSON.stringify(json)}: ${status} ${JSON.stringify(error)}`);
  return false;
}

async function admit(
  { world, api }: Hands,
  instruments: readonly Instrument[],
  points: readonly Point[],
  key?: string,
) {
  const { runs, replayed } = await api.ingest(points, key);
  if (replayed) return;
  world.requests.push(points);
  points.forEach((point, at) => {
    const instrument = instruments.find(({ name }) => name === point.instrument_name);
    const values = point.ingested_variables.map(({ name, value }) => [`${instrument?.key}.${name}`, value] as const);
    world.points.push({
      runId: runs[at]?.run_id ?? '',
      atUs: usOf(point.instrument_timestamp),
      values: new Map(values),
    });
  });
}

/** Points of one instrument: a row of them, or late and corrected ones anywhere, some of them twice. */
async function ingest(hands: Hands): Promise<void> {
  const { choices, world } = hands;
  const instrument = choices.oneOf(world.instruments);
  const count = choices.weighted([
    [9, choices.between(1, 25)],
    [1, 150],
  ]);
  const firstUs = anyInstant(choices);
  const instants = Array.from({ length: count }, (_, at) => firstUs + at * minuteUs);
  const isRow = choices.isTrue(60);
  const points = (isRow ? instants : instants.map(() => anyInstant(choices))).map((atUs) => ({
    instrument_timestamp: formatInstant(atUs),
    instrument_name: instrument.name,
    ingested_variables: choices
      .oneOf([['a'], ['b'], ['a', 'b'], ['a', 'b']])
      .map((name) => ({ name, value: choices.value() })),
  }));
  await admit(hands, world.instruments, choices.isTrue(30) ? choices.shuffled(points) : points);
}

/** Something that was sent before, as a correction of whatever came since. */
async function resend(hands: Hands): Promise<void> {
  const { choices, world } = hands;
  if (world.requests.length > 0) await admit(hands, world.instruments, choices.oneOf(world.requests));
}

/** One or more pieces, the first of them mostly from before all observations. */
function anyPieces(hands: Hands, instrument: Instrument, before?: Calculated): Piece[] {
  const { choices, world } = hands;
  const readable = readableOf(world, instrument, before);
  return anySteps(choices)
    .slice(0, 3)
    .map(([atUs]) => anyPiece(choices, readable, atUs));
}

/** A further calculated variable, up to as many as there may be. */
export async function createCalculated(hands: Hands): Promise<void> {
  const { choices, world } = hands;
  const instrument = choices.oneOf(world.instruments.filter(isActive));
  if (world.calculated.length === calculatedMax) return;
  const key = `c${world.calculated.length}`;
  const computation: Computation = { valueType: anyValueType(choices), pieces: anyPieces(hands, instrument) };
  const path = `${instrument.path}/calculated-variables`;
  const { resource } = await world.project.done('POST', path, {
    name: key,
    value_type: computation.valueType,
    calculations: toCalculations(world, computation.pieces),
  });
  const known = { key, id: resource.id, path: `${path}/${resource.id}`, isArchived: false };
  world.calculated.push({ ...known, instrument, alias: resource.alias, computation });
}

const anyValueType = (choices: Choices): Computation['valueType'] => choices.oneOf(['decimal', ...valueTypes]);

/** The calculations are others, or one of them is, or is one more, or one less; or it is another type of values. */
async function edit(hands: Hands): Promise<void> {
  const { choices, world } = hands;
  if (world.calculated.length === 0) return;
  const variable = choices.oneOf(world.calculated);
  if (!isActive(variable)) return;
  const { pieces, valueType } = variable.computation;
  const readable = readableOf(world, variable.instrument, variable);
  const at = choices.between(0, pieces.length - 1);
  const computation = choices.weighted<() => Computation>([
    [2, () => ({ valueType, pieces: anyPieces(hands, variable.instrument, variable) })],
    [3, () => ({ valueType, pieces: pieces.with(at, anyPiece(choices, readable, pieces[at]?.startUs ?? 0)) })],
    [1, () => ({ valueType, pieces: pieces.toSpliced(at, 1) })],
    [1, () => ({ valueType: anyValueType(choices), pieces })],
    [
      1,
      () => {
        const added = anyPiece(choices, readable, anyInstant(choices));
        const isTaken = pieces.some((piece) => piece.startUs === added.startUs);
        return { valueType, pieces: isTaken ? pieces : [...pieces, added] };
      },
    ],
  ])();
  if (computation.pieces.length === 0) return;
  const json = { value_type: computation.valueType, calculations: toCalculations(world, computation.pieces) };
  if (await isDone(hands, 'PATCH', variable.path, json)) variable.computation = computation;
}

async function editConstant(hands: Hands): Promise<void> {
  const { choices, world } = hands;
  const constant = choices.oneOf(world.constants);
  const at = choices.between(0, constant.steps.length - 1);
  const steps = choices.isTrue(30)
    ? anySteps(choices)
    : constant.steps.with(at, [constant.steps[at]?.[0] ?? 0, choices.value()]);
  if (await isDone(hands, 'PATCH', constant.path, { values: toValues(steps) })) constant.steps = steps;
}

async function rename(hands: Hands): Promise<void> {
  const { choices, world } = hands;
  const record = choices.oneOf([...world.ingested, ...world.constants, ...world.calculated]);
  const alias = `n${choices.between(0, 999)}`;
  if (choices.isTrue(50)) await isDone(hands, 'PATCH', record.path, { unit: `unit ${alias}` });
  else if (await isDone(hands, 'PATCH', record.path, { alias })) record.alias = alias;
}

async function archive(hands: Hands): Promise<void> {
  const { choices, world } = hands;
  const records = choices
    .weighted<readonly Known[]>([
      [6, world.calculated],
      [1, world.constants],
      [3, world.instruments],
    ])
    .filter(isActive);
  // with no instrument left nothing more would happen
  if (records.length < 2) return;
  const archived = choices.oneOf(records);
  if (await isDone(hands, 'POST', `${archived.path}/archive`)) archived.isArchived = true;
}

async function restore(hands: Hands): Promise<void> {
  const { choices, world } = hands;
  const archived = [...world.instruments, ...world.constants, ...world.calculated].filter((each) => each.isArchived);
  if (archived.length === 0) return;
  const record = choices.oneOf(archived);
  if (await isDone(hands, 'POST', `${record.path}/restore`)) record.isArchived = false;
}

const wait = async ({ choices }: Hands): Promise<void> => {
  await delay(choices.between(0, 150));
};

type Steps = readonly (readonly [weight: number, step: (hands: Hands) => Promise<void>])[];

const admissions: Steps = [
  [8, ingest],
  [2, resend],
  [1, wait],
];

const changes: Steps = [
  [10, createCalculated],
  [14, edit],
  [9, editConstant],
  [4, rename],
  [7, archive],
  [7, restore],
  [5, wait],
];

/** Sends points, as the choices have it. One after the other, so that it is known which is admitted last. */
export async function sendSomething(hands: Hands): Promise<void> {
  await hands.choices.weighted(admissions)(hands);
}

/** Changes something of the catalog, as the choices have it. */
export async function changeSomething(hands: Hands): Promise<void> {
  await hands.choices.weighted(changes)(hands);
}
