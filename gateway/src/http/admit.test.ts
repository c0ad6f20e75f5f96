import { expect, test } from 'vitest';
import { admit } from './admit.js';
import type { Exchange } from './exchange.js';
import type { Machine } from './machine.js';
import type { Operation } from './operation.js';

test('calls without a key count for the network of an address: who has one of IPv6 has them all', async () => {
  const counted: string[] = [];
  // nothing else is looked at where no key is needed
  const machine = { publicLimit: (address: string) => counted.push(address) } as unknown as Machine;
  for (const address of ['192.0.2.1', '2001:db8::1', '2001:db8::ffff:2'])
    await admit({ auth: 'none' } as Operation, { address } as Exchange, machine, undefined);
  expect(counted).toEqual(['192.0.2.1', '2001:db8:0:0::/64', '2001:db8:0:0::/64']);
});
