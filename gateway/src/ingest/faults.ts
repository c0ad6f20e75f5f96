import { type ErrorDetail, errorDetailsMax, WeirError } from '@weir/kit/errors';

/** Collects the faults of a body; throws as soon as no more of them would be told. */
export class Faults {
  readonly #details: ErrorDetail[] = [];

  add(path: string, code: string, message: string): void {
    this.#details.push({ path, code, message });
    if (this.#details.length === errorDetailsMax) this.throwIfAny();
  }

  /** @throws WeirError `unknown_field` when members that nobody knows are all that is wrong, else `invalid_request` */
  throwIfAny(): void {
    const details = this.#details;
    if (details.length === 0) return;
    const code = details.every((detail) => detail.code === 'unknown_field') ? 'unknown_field' : 'invalid_request';
    const message =
      details.length === 1
        ? (details[0]?.message ?? '')
        : 'The body has several faults; correct those that the details name.';
    throw new WeirError(code, message, { details });
  }
}

/** A member's name as a token of a JSON Pointer (RFC 6901). */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
