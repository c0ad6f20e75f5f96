import { type ErrorDetail, WeirError } from '@weir/kit/errors';
import { allPermissions, isPermission, type Permission } from '@weir/kit/permissions';
import { nameCharactersMax, normalizeName } from '@weir/kit/text';
import { observationInstantEndUs } from '@weir/kit/time';
import { type Actor, isActor } from './actor.js';
import { type Provisioning, provisionings } from './records.js';

const limitMax = 1000;

/**
 * Reads the members of a request and keeps what is wrong with them, so that all faults are told at
 * once. After `end()` every value that was read is good.
 */
export class Faults {
  readonly #details: ErrorDetail[] = [];

  #add(path: string, code: string, message: string): void {
    this.#details.push({ path, code, message });
  }

  /** @throws WeirError `invalid_request` with every fault */
  end(): void {
    if (this.#details.length === 0) return;
    const message = this.#details.map((detail) => detail.message).join(' ');
    throw new WeirError('invalid_request', message, { details: this.#details });
  }

  /** Notes a fault of the request as a whole. */
  refuse(code: string, message: string): void {
    this.#add('', code, message);
  }

  name(text: string): string {
    const name = normalizeName(text);
    if (name !== undefined) return name;
    this.#add(
      '/name',
      'invalid_name',
      `The name must have 1 to ${nameCharactersMax} characters, none of them a control character.`,
    );
    return '';
  }

  actor(actor: Actor | undefined): Actor {
    if (isActor(actor)) return { type: actor.type, id: actor.id };
    this.#add('/actor', 'invalid_actor', 'The actor must be a user, developer_api_key or system with an id.');
    return { type: '', id: '' };
  }

  provisioning(text: string): Provisioning {
    const provisioning = provisionings.find((word) => word === text);
    if (provisioning === undefined)
      this.#add('/provisioning', 'invalid_provisioning', 'The provisioning must be automatic or strict.');
    return provisioning ?? 'strict';
  }

  /** Known permissions, each once, in the order of the table. */
  permissions(texts: readonly string[]): Permission[] {
    for (const [index, text] of texts.entries()) {
      if (!isPermission(text))
        this.#add(`/permissions/${index}`, 'unknown_permission', `There is no permission ${JSON.stringify(text)}.`);
    }
    return allPermissions.filter((permission) => texts.includes(permission));
  }

  expiry(expiresAtUs: number | undefined, nowUs: number): number | undefined {
    if (expiresAtUs !== undefined && !(expiresAtUs > nowUs && expiresAtUs < observationInstantEndUs))
      this.#add('/expires_at', 'invalid_expiry', 'The expiry must lie in the future and before the year 2250.');
    return expiresAtUs;
  }

  limit(limit: number): number {
    if (!(limit >= 1 && limit <= limitMax))
      this.#add('/limit', 'invalid_limit', `The limit must be an integer from 1 to ${limitMax}.`);
    return limit;
  }
}
