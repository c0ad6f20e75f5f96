import type { Faults } from '@weir/kit/faults';
import { allPermissions, isPermission, type Permission } from '@weir/kit/permissions';
import { observationInstantEndUs } from '@weir/kit/time';
import { type Provisioning, provisionings } from './records.js';

/** What becomes of what a point names and nobody made; a fault when it is no such word. */
export function parseProvisioning(text: string, faults: Faults): Provisioning {
  const provisioning = provisionings.find((word) => word === text);
  if (provisioning === undefined)
    faults.add('/provisioning', 'invalid_provisioning', 'The provisioning must be automatic or strict.');
  return provisioning ?? 'strict';
}

/** Known permissions, each once, in the order of the table; a fault for each that is not known. */
export function parsePermissions(texts: readonly string[], faults: Faults): Permission[] {
  for (const [index, text] of texts.entries()) {
    if (!isPermission(text))
      faults.add(`/permissions/${index}`, 'unknown_permission', `There is no permission ${JSON.stringify(text)}.`);
  }
  return allPermissions.filter((permission) => texts.includes(permission));
}

/** When a key ends, if it does; a fault unless that is in the future and before the year 2250. */
export function parseExpiry(expiresAtUs: number | undefined, nowUs: number, faults: Faults): number | undefined {
  if (expiresAtUs !== undefined && !(expiresAtUs > nowUs && expiresAtUs < observationInstantEndUs))
    faults.add('/expires_at', 'invalid_expiry', 'The expiry must lie in the future and before the year 2250.');
  return expiresAtUs;
}
