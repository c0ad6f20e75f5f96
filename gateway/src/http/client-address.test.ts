import { expect, test } from 'vitest';
import { clientAddress, isNetwork } from './client-address.js';

test.each<[string, string | undefined, string]>([
  ['192.0.2.1', undefined, '192.0.2.1'],
  ['::ffff:192.0.2.1', undefined, '192.0.2.1'],
  ['192.0.2.1', '203.0.113.7', '192.0.2.1'],
  ['10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['::ffff:10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['10.1.2.3', 'spoofed, 203.0.113.7', '203.0.113.7'],
  ['10.1.2.3', '198.51.100.1, 203.0.113.7, 10.9.9.9', '203.0.113.7'],
  ['10.1.2.3', '203.0.113.7, nonsense', '10.1.2.3'],
  ['10.1.2.3', '203.0.113.7:4711', '203.0.113.7'],
  ['fd00::1', '[2001:db8::7]:4711', '2001:db8::7'],
  ['fd00::1', '2001:db8::7', '2001:db8::7'],
  ['10.1.2.3', '10.1.1.1', '10.1.1.1'],
  ['10.1.2.3', '', '10.1.2.3'],
])('%s with %s is %s', (remote, forwardedFor, address) => {
  expect(clientAddress(['10.0.0.0/8', 'fd00::/8'])(remote, forwardedFor)).toBe(address);
});

test('networks', () => {
  expect(['10.0.0.0/8', '10.1.2.3', '::1', 'fd00::/8'].every(isNetwork)).toBe(true);
  expect(['', 'x', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0.0/', '::/129'].some(isNetwork)).toBe(false);
});
