import type { Db } from '@weir/kit/sql';
import { type Calculation, toCalculation } from '../domain/calculation.js';
import { selectDefinitions } from '../store/claims.js';

/** Definitions that are remembered at most. */
const definitionsMax = 20_000;

interface Remembered {
  readonly version: number;
  readonly calculation: Calculation | undefined;
}

/** Definitions that are made ready once, by their version. */
export class DefinitionMemory {
  readonly #remembered = new Map<number, Remembered>();

  /**
   * Makes definitions ready, whose rows are locked.
   *
   * @returns by key; undefined for one that is computed no more
   */
  async of(
    db: Db,
    versions: readonly { readonly variableKey: number; readonly version: number }[],
  ): Promise<Map<number, Calculation | undefined>> {
    const unknown = versions.filter(
      ({ variableKey, version }) => this.#remembered.get(variableKey)?.version !== version,
    );
    if (unknown.length > 0) {
      if (this.#remembered.size + unknown.length > definitionsMax) this.#remembered.clear();
      const variableKeys = unknown.map(({ variableKey }) => variableKey);
      for (const { variableKey, version, definition } of await selectDefinitions.all(db, { variableKeys })) {
        const calculation = definition === undefined ? undefined : toCalculation(definition);
        this.#remembered.set(variableKey, { version, calculation });
      }
    }
    return new Map(
      versions.map(({ variableKey }) => [variableKey, this.#remembered.get(variableKey)?.calculation] as const),
    );
  }
}
