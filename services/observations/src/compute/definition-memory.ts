import type { Db } from '@weir/kit/sql';
import { type Calculation, toCalculation } from '../domain/calculation.js';
import type { ProcessorEvents } from '../events.js';
import { selectDefinitions } from '../store/claims.js';

/** Definitions that are remembered at most. */
const definitionsMax = 20_000;

interface Remembered {
  readonly version: number;
  readonly calculation: Calculation | undefined;
}

/** Definitions that are made ready once, by their version. */
export class DefinitionMemory {
  readonly #events: Pick<ProcessorEvents, 'calculationInvalid'>;
  readonly #remembered = new Map<number, Remembered>();

  constructor(events: Pick<ProcessorEvents, 'calculationInvalid'>) {
    this.#events = events;
  }

  /**
   * Makes definitions ready, whose rows are locked.
   *
   * @returns by key; undefined for one that is computed no more
   */
  async of(
    db: Db,
    versions: readonly { readonly variableKey: number; readonly version: number }[],
  ): Promise<Map<number, Calculation | undefined>> {
    const ready = new Map<number, Calculation | undefined>();
    const unknown: number[] = [];
    for (const { variableKey, version } of versions) {
      const remembered = this.#remembered.get(variableKey);
      if (remembered?.version === version) ready.set(variableKey, remembered.calculation);
      else unknown.push(variableKey);
    }
    if (unknown.length === 0) return ready;
    const found = await selectDefinitions.all(db, { variableKeys: unknown });
    if (this.#remembered.size + found.length > definitionsMax) this.#remembered.clear();
    for (const { variableKey, version, definition, projectId, variableId } of found) {
      const calculation = definition === undefined ? undefined : toCalculation(definition);
      const invalid = calculation?.invalid ?? [];
      if (invalid.length > 0) this.#events.calculationInvalid({ projectId, variableId, expressions: invalid });
      this.#remembered.set(variableKey, { version, calculation });
      ready.set(variableKey, calculation);
    }
    return ready;
  }
}
