import {
  type ErrorCode,
  type ErrorDetail,
  errorDetailsMax,
  faultsMessage,
  isErrorCode,
  WeirError,
} from '@weir/kit/errors';

/** Faults that give the whole error their code when there are no others; any mixture is `invalid_request`. */
const telling: ReadonlySet<string> = new Set<ErrorCode>([
  'unknown_field',
  'unknown_query_parameter',
  'unexpected_body',
  'malformed_json',
]);

/** Collects what is wrong with a request, so that all of it is told at once. */
export class Faults {
  readonly #details: ErrorDetail[] = [];
  #cursorFault: string | undefined;

  /** Whether no more faults would be told. */
  get isFull(): boolean {
    return this.#details.length >= errorDetailsMax;
  }

  get hasAny(): boolean {
    return this.#details.length > 0;
  }

  hasAt(path: string): boolean {
    return this.#details.some((known) => known.path === path);
  }

  add(path: string, code: string, message: string): void {
    // a limit (429) stands before the shape (400), so this one is told alone
    if (code === 'cursor_too_large') this.#cursorFault ??= message;
    // two checks may meet the same fault, such as a number that overflows
    const isKnown = this.#details.some((known) => known.path === path && known.code === code);
    if (!this.isFull && !isKnown) this.#details.push({ path, code, message });
  }

  /** Takes over the faults of an error that says the request is not as documented. */
  addError(error: WeirError): void {
    if (error.details.length === 0) this.add('', error.code, error.message);
    for (const { path, code, message } of error.details) this.add(path, code, message);
  }

  addAll(others: Faults): void {
    for (const { path, code, message } of others.#details) this.add(path, code, message);
  }

  /** @throws WeirError when anything was wrong */
  throwIfAny(): void {
    if (this.#cursorFault !== undefined) {
      const details = this.#details.filter(({ code }) => code === 'cursor_too_large');
      throw new WeirError('cursor_too_large', this.#cursorFault, { details });
    }
    const [first, ...others] = this.#details;
    if (first === undefined) return;
    const { code } = first;
    const isTelling = telling.has(code) && isErrorCode(code) && others.every((other) => other.code === code);
    throw new WeirError(isTelling ? code : 'invalid_request', faultsMessage(this.#details), { details: this.#details });
  }
}
