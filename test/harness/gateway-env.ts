import { settings } from '@weir/gateway/config';
import type { Stack } from '@weir/stack';

/**
 * What `weir` finds in its environment where operators call it, in a pod of the gateway: the addresses that a gateway
 * declares, and no login of PostgreSQL.
 */
export function gatewayEnv({ addresses }: Pick<Stack, 'addresses'>): Record<string, string> {
  const declared = new Set<string>(Object.values(settings).map(({ env }) => env));
  const all = Object.entries(addresses).map(([name, at]): [string, string] => [`${name.toUpperCase()}_ADDRESS`, at]);
  return Object.fromEntries(all.filter(([name]) => declared.has(name)));
}
