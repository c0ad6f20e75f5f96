import { type ErrorDetail, faultsMessage, WeirError } from '../errors/index.js';

/** Collects every fault of a request, so that all of them are told at once. */
export class Faults {
  readonly #details: ErrorDetail[] = [];

  /**
   * @param path - JSON Pointer into the request
   * @param code - stable snake_case name of the fault
   * @param message - for a person
   */
  add(path: string, code: string, message: string): void {
    this.#details.push({ path, code, message });
  }

  /** @throws WeirError `invalid_request` with all faults, when there is one */
  throwIfAny(): void {
    const details = this.#details;
    if (details.length > 0) throw new WeirError('invalid_request', faultsMessage(details), { details });
  }
}
