import type { Connection as ConnectionMessage, DeveloperKey as DeveloperKeyMessage } from '@weir/proto/access';
import type { Connection, DeveloperKey, Secret } from '../domain/records.js';

const toSecret = ({ id, hint, createdAtUs, revokedAtUs }: Secret) => ({ id, hint, createdAtUs, revokedAtUs });

/** A key as it travels. */
export function toDeveloperKey(key: DeveloperKey): DeveloperKeyMessage {
  return { ...key, permissions: [...key.permissions], secrets: key.secrets.map(toSecret) };
}

/** A connection as it travels. */
export function toConnection(connection: Connection): ConnectionMessage {
  return { ...connection, secrets: connection.secrets.map(toSecret) };
}
