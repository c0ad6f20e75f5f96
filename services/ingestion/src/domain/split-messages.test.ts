import fc from 'fast-check';
import { expect, test } from 'vitest';
import { splitMessages } from './split-messages.js';

test('messages hold all items in order, as many as fit, and a larger one alone', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 })), (sizes) => {
      const messages = splitMessages(sizes, (size) => size, 10);
      expect(messages.flat()).toEqual(sizes);
      for (const [at, message] of messages.entries()) {
        const bytes = message.reduce((sum, size) => sum + size, 0);
        expect(message.length === 1 || bytes <= 10).toBe(true);
        const [next] = messages[at + 1] ?? [];
        if (next !== undefined) expect(bytes + next).toBeGreaterThan(10);
      }
    }),
  );
});
