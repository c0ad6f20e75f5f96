import { Faults } from '@weir/kit/faults';
import { expect, test } from 'vitest';
import { parseExpiry, parsePermissions, parseProvisioning } from './parse-terms.js';

test('good values are let through', () => {
  const faults = new Faults();
  expect(parseProvisioning('strict', faults)).toBe('strict');
  expect(parsePermissions([], faults)).toEqual([]);
  expect(parseExpiry(undefined, 5, faults)).toBeUndefined();
  expect(parseExpiry(6, 5, faults)).toBe(6);
  faults.throwIfAny();
});

test.each<[string, (faults: Faults) => void]>([
  ['/provisioning', (faults) => parseProvisioning('Strict', faults)],
  ['/permissions/0', (faults) => parsePermissions(['toString'], faults)],
  ['/expires_at', (faults) => parseExpiry(5, 5, faults)],
  ['/expires_at', (faults) => parseExpiry(Date.UTC(2250, 0, 1) * 1000, 5, faults)],
])('a fault is at %s', (path, read) => {
  const faults = new Faults();
  read(faults);
  expect(() => faults.throwIfAny()).toThrow(
    expect.objectContaining({ code: 'invalid_request', details: [expect.objectContaining({ path })] }),
  );
});
