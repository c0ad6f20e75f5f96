import { describe, expect, test } from 'vitest';
import { Faults } from './faults.js';

function faultsOf(read: (faults: Faults) => void): unknown {
  const faults = new Faults();
  read(faults);
  try {
    faults.end();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe('Faults', () => {
  test('lets good values through', () => {
    const error = faultsOf((faults) => {
      expect(faults.name(' A ')).toBe('A');
      expect(faults.actor({ type: 'system', id: 'seed' })).toEqual({ type: 'system', id: 'seed' });
      expect(faults.provisioning('strict')).toBe('strict');
      expect(faults.permissions([])).toEqual([]);
      expect(faults.expiry(undefined, 5)).toBeUndefined();
      expect(faults.expiry(6, 5)).toBe(6);
      expect(faults.limit(1000)).toBe(1000);
    });
    expect(error).toBeUndefined();
  });

  test.each([
    ['a name', (faults: Faults) => faults.name(' ')],
    ['no actor', (faults: Faults) => faults.actor(undefined)],
    ['an actor of no known type', (faults: Faults) => faults.actor({ type: 'gateway', id: 'x' })],
    ['an actor with NUL', (faults: Faults) => faults.actor({ type: 'user', id: 'a\0' })],
    ['an actor without end', (faults: Faults) => faults.actor({ type: 'user', id: 'a'.repeat(257) })],
    ['a provisioning', (faults: Faults) => faults.provisioning('Strict')],
    ['a permission', (faults: Faults) => faults.permissions(['toString'])],
    ['an expiry now', (faults: Faults) => faults.expiry(5, 5)],
    ['an expiry without end', (faults: Faults) => faults.expiry(Date.UTC(2250, 0, 1) * 1000, 5)],
    ['a limit', (faults: Faults) => faults.limit(1001)],
  ])('refuses %s', (_, read) => {
    expect(faultsOf(read)).toMatchObject({ code: 'invalid_request', details: [expect.anything()] });
  });
});
