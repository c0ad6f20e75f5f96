import { Faults } from '@weir/kit/faults';
import { type Actor, parseActor } from '@weir/kit/records';
import type { RunErrorCode } from '@weir/kit/run-codes';
import { type AskedNames, type InstrumentNames, mergeNames } from './asked-names.js';
import type { CatalogView, InstrumentView, KnownVariable, VariableView } from './catalog-view.js';

const provisionings = ['automatic', 'strict'] as const;

/** `strict`: what is not there stays so. `automatic`: it is created. */
export type Provisioning = (typeof provisionings)[number];

/** A request to resolve names, checked. */
export interface Resolution {
  readonly asked: AskedNames;
  readonly provisioning: Provisioning;
  /** The connection, as the actor of what is created. */
  readonly actor: Actor;
}

/**
 * Checks a request to resolve names.
 *
 * @throws WeirError `invalid_request`, also when a name cannot be one, which admission does not let through
 */
export function parseResolution(request: {
  readonly provisioning: string;
  readonly connectionId: string;
  readonly instruments: readonly InstrumentNames[];
}): Resolution {
  const faults = new Faults();
  const provisioning = provisionings.find((word) => word === request.provisioning);
  if (provisioning === undefined) {
    faults.add('/provisioning', 'invalid_value', `Give one of ${provisionings.join(', ')}.`);
  }
  const actor = parseActor({ type: 'system', id: request.connectionId }, '/connection_id', faults);
  const asked = mergeNames(request.instruments, faults);
  faults.throwIfAny();
  return { asked, provisioning: provisioning ?? 'strict', actor };
}

/** What the name of a variable came to. */
export type ResolvedVariable = KnownVariable | { readonly errorCode: RunErrorCode };

/** What the name of an instrument came to. */
export type ResolvedInstrument =
  | { readonly instrumentId: string; readonly variables: readonly ResolvedVariable[] }
  | { readonly errorCode: RunErrorCode };

function resolveVariable(view: VariableView | undefined, missing: RunErrorCode): ResolvedVariable {
  if (view === undefined || view === 'missing') return { errorCode: missing };
  return typeof view === 'string' ? { errorCode: view } : view;
}

function resolveInstrument(
  view: InstrumentView | undefined,
  variableNames: readonly string[],
  missing: { readonly instrument: RunErrorCode; readonly variable: RunErrorCode },
): ResolvedInstrument {
  if (view === undefined || view === 'missing') return { errorCode: missing.instrument };
  if (typeof view === 'string') return { errorCode: view };
  return {
    instrumentId: view.instrumentId,
    variables: variableNames.map((name) => resolveVariable(view.variables.get(name), missing.variable)),
  };
}

/**
 * The outcome of every asked name, in the order asked. Whatever is missing still after automatic
 * provisioning found no room within the limits.
 */
export function decideOutcomes(asked: AskedNames, view: CatalogView, provisioning: Provisioning): ResolvedInstrument[] {
  const missing: { instrument: RunErrorCode; variable: RunErrorCode } =
    provisioning === 'strict'
      ? { instrument: 'instrument_not_found', variable: 'variable_not_found' }
      : { instrument: 'quota_exceeded', variable: 'quota_exceeded' };
  return asked.parts.map(({ instrument, variableNames }) =>
    resolveInstrument(view.instruments[instrument], variableNames, missing),
  );
}
