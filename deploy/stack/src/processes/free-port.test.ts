import { expect, test } from 'vitest';
import { freePorts } from './free-port.js';

test('no port is given twice before somebody can listen on it', async () => {
  const ports = await Promise.all(Array.from({ length: 40 }, () => freePorts(20)));
  // by chance alone, of 800 of these 12,000 ports some 26 pairs are the same
  expect(new Set(ports.flat()).size).toBe(800);
});
