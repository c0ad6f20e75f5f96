import { expect, test } from 'vitest';
import { currentRequestId, inRequest, joinRequestIds, stepsInRequest } from './request.js';

test('what is done for a request knows it, however far it is from where it began', async () => {
  const seen = await inRequest('outer', async () => {
    await Promise.resolve();
    return [inRequest('inner', currentRequestId), currentRequestId()];
  });
  expect([...seen, currentRequestId()]).toEqual(['inner', 'outer', '']);
});

test('each step of a generator knows its request, whoever asks for it, and the last as well', async () => {
  const seen: string[] = [];
  async function* steps(): AsyncGenerator<number, void, undefined> {
    try {
      for (let step = 0; ; step++) {
        seen.push(currentRequestId());
        await Promise.resolve();
        yield step;
      }
    } finally {
      seen.push(`end of ${currentRequestId()}`);
    }
  }
  for await (const step of inRequest('caller', () => stepsInRequest('served', steps()))) if (step === 1) break;
  expect(seen).toEqual(['served', 'served', 'end of served']);
});

test('requests that are worked for together are named once each, so many at most', () => {
  expect(joinRequestIds(['a,b', '', 'b', 'c'])).toBe('a,b,c');
  expect(joinRequestIds(Array.from({ length: 40 }, (_, i) => `r${i}`)).split(',')).toHaveLength(32);
  expect(joinRequestIds([])).toBe('');
});
