import { parse } from '@weir/expression';
import type { Faults } from '@weir/kit/faults';
import { isShortId } from '@weir/kit/ids';
import { parseFreeText } from '@weir/kit/records';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import { bufferSecondsMax, calculationsMax, constantsMax, editorTokensMax, inputsMax } from '@weir/variable-shapes';
import {
  type EditorToken,
  type InputKind,
  inputKinds,
  type NewCalculation,
  type NewInput,
  tokenKinds,
} from './calculation.js';

/** A calculation as a request has it: empty texts stand for what is left out. */
export interface CalculationRequest {
  readonly id: string;
  readonly startTimeUs: number;
  readonly expression: string;
  readonly editorTokens: readonly { readonly kind: string; readonly text: string }[];
  readonly inputs: readonly InputRequest[];
}

interface InputRequest {
  readonly id: string;
  readonly kind: string;
  readonly variableId?: string | undefined;
  readonly constantId?: string | undefined;
  readonly sourceInstrumentId?: string | undefined;
  readonly pastBufferSeconds?: number | undefined;
}

/** Which members an input of a kind must have; it may have no other, but for a buffer of a variable. */
const referencesOf = {
  self_variable: ['variable_id'],
  instrument_variable: ['variable_id', 'source_instrument_id'],
  constant: ['constant_id'],
} as const satisfies Record<InputKind, readonly string[]>;

/** An instant of observations: one before or after their time counts as its end. */
export function clampInstant(us: number): number {
  return Math.min(Math.max(us, observationInstantMinUs), observationInstantEndUs);
}

function parseIds(records: readonly { readonly id: string }[], path: string, faults: Faults): (string | undefined)[] {
  const seen = new Set<string>();
  return records.map(({ id }, at) => {
    if (id === '') return undefined;
    if (!isShortId(id)) {
      faults.add(`${path}/${at}/id`, 'invalid_id', 'Give 21 letters, digits, "_" or "-" of ASCII, or none.');
    } else if (seen.has(id)) faults.add(`${path}/${at}/id`, 'duplicate_id', 'Give each one an id of its own.');
    seen.add(id);
    return id;
  });
}

function isWithin(count: number, max: number, path: string, what: string, faults: Faults): boolean {
  if (count <= max) return true;
  faults.add(path, 'too_many', `Give at most ${max} ${what}, not ${count}.`);
  return false;
}

function parseTokens(request: CalculationRequest, path: string, faults: Faults): EditorToken[] {
  if (!isWithin(request.editorTokens.length, editorTokensMax, path, 'tokens', faults)) return [];
  return request.editorTokens.map(({ kind: word, text }, at) => {
    const kind = tokenKinds.find((known) => known === word);
    if (kind === undefined) faults.add(`${path}/${at}/kind`, 'invalid_value', `Give one of ${tokenKinds.join(', ')}.`);
    return { kind: kind ?? 'text', text: parseFreeText(text, `${path}/${at}/text`, faults) };
  });
}

function parseBuffer(seconds: number | undefined, kind: InputKind, path: string, faults: Faults): void {
  if (seconds === undefined) return;
  if (kind === 'constant') faults.add(path, 'not_allowed', 'A constant has no past; leave this out.');
  else if (!(seconds > 0 && seconds <= bufferSecondsMax)) {
    faults.add(path, 'out_of_range', `Give a number of seconds above 0, at most ${bufferSecondsMax} (366 days).`);
  }
}

function parseInput(request: InputRequest, id: string | undefined, path: string, faults: Faults): NewInput {
  const { variableId, constantId, pastBufferSeconds } = request;
  const kind = inputKinds.find((known) => known === request.kind);
  if (kind === undefined) {
    faults.add(`${path}/kind`, 'invalid_value', `Give one of ${inputKinds.join(', ')}.`);
    return { id, kind: 'constant' };
  }
  const required: readonly string[] = referencesOf[kind];
  const given = {
    variable_id: variableId,
    constant_id: constantId,
    // of a variable of the same instrument it may be said, and is checked with the variable
    source_instrument_id: request.sourceInstrumentId,
  };
  for (const [member, value] of Object.entries(given)) {
    const isAllowed = required.includes(member) || (kind === 'self_variable' && member === 'source_instrument_id');
    if (required.includes(member) && (value === undefined || value === '')) {
      faults.add(`${path}/${member}`, 'required', `An input of the kind ${kind} names it.`);
    } else if (!isAllowed && value !== undefined) {
      faults.add(`${path}/${member}`, 'not_allowed', `An input of the kind ${kind} has none; leave it out.`);
    }
  }
  parseBuffer(pastBufferSeconds, kind, `${path}/past_buffer_seconds`, faults);
  return { id, kind, variableId, constantId, sourceInstrumentId: request.sourceInstrumentId, pastBufferSeconds };
}

function parseCalculation(
  request: CalculationRequest,
  id: string | undefined,
  path: string,
  faults: Faults,
): NewCalculation {
  const { expression } = request;
  const { fault } = parse(expression);
  if (fault !== undefined) faults.add(`${path}/expression`, fault.code, fault.message);
  const inputsPath = `${path}/inputs`;
  const areFew = isWithin(request.inputs.length, inputsMax, inputsPath, 'inputs', faults);
  const inputs = areFew ? request.inputs : [];
  const ids = parseIds(inputs, inputsPath, faults);
  return {
    id,
    startTimeUs: clampInstant(request.startTimeUs),
    expression,
    editorTokens: parseTokens(request, `${path}/editor_tokens`, faults),
    inputs: inputs.map((input, at) => parseInput(input, ids[at], `${inputsPath}/${at}`, faults)),
  };
}

/**
 * Checks the shape of calculations and the syntax of their expressions: all but what they read. They keep
 * the order of the request, so that further faults can be told by it.
 */
export function parseCalculations(requests: readonly CalculationRequest[], faults: Faults): NewCalculation[] {
  const path = '/calculations';
  if (!isWithin(requests.length, calculationsMax, path, 'calculations', faults)) return [];
  const ids = parseIds(requests, path, faults);
  const calculations = requests.map((request, at) => parseCalculation(request, ids[at], `${path}/${at}`, faults));
  checkStarts(calculations, path, faults);
  const constantIds = new Set(calculations.flatMap(({ inputs }) => inputs.map(({ constantId }) => constantId)));
  constantIds.delete(undefined);
  isWithin(constantIds.size, constantsMax, path, 'different constants for them all', faults);
  return calculations;
}

/** Adds a fault for each step that begins where one before it in the request does. */
export function checkStarts(steps: readonly { readonly startTimeUs: number }[], path: string, faults: Faults): void {
  const seen = new Set<number>();
  for (const [at, { startTimeUs }] of steps.entries()) {
    if (seen.has(startTimeUs)) {
      faults.add(`${path}/${at}/start_time`, 'duplicate_start_time', 'Give each one a start_time of its own.');
    }
    seen.add(startTimeUs);
  }
}
