import { expect, test } from 'vitest';
import { admit } from './admit.js';
import { ClientGone, type Exchange } from './exchange.js';
import type { Machine } from './machine.js';
import type { Operation } from './operation.js';

test('calls without a key count for the network of an address: who has one of IPv6 has them all', async () => {
  const counted: string[] = [];
  // nothing else is looked at where no key is needed
  const publicLimit = (address: string) => ({ RateLimit: `${counted.push(address)}` });
  const machine = { publicLimit } as unknown as Machine;
  const headers = {};
  for (const address of ['192.0.2.1', '2001:db8::1', '2001:db8::ffff:2'])
    await admit({ auth: 'none' } as Operation, { address, headers } as Exchange, machine, undefined);
  expect(headers).toEqual({ RateLimit: '3' });
  expect(counted).toEqual(['192.0.2.1', '2001:db8:0:0::/64', '2001:db8:0:0::/64']);
});

test('who goes away while a key is looked up has tried one', async () => {
  const charged: string[] = [];
  const gone = new ClientGone();
  const machine = {
    authenticator: { ingestion: () => Promise.reject(new Error('called off')) },
    limiter: { failedCredential: async (address: string) => charged.push(address) },
  } as unknown as Machine;
  const exchange = {
    address: '192.0.2.1',
    req: { headers: {}, rawHeaders: [] },
    within: (work: Promise<unknown>) => work,
  };
  const call = (abortReason: Error | undefined) =>
    admit({ auth: 'ingestion' } as Operation, { ...exchange, abortReason } as unknown as Exchange, machine, undefined);
  await expect(call(undefined)).rejects.toThrow('called off');
  expect(charged).toEqual([]);
  await expect(call(gone)).rejects.toThrow('called off');
  expect(charged).toEqual(['192.0.2.1']);
});
