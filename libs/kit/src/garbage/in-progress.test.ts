import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { InProgress } from './index.js';

const some = () => ({ place: -1 });

it('knows what has entered and not left', () => {
  const all = new InProgress<{ place: number }>();
  const [a, b, c] = [some(), some(), some()];
  for (const one of [a, b, c]) all.enter(one);
  all.leave(a);
  expect([...all]).toEqual([c, b]);
  all.leave(a);
  all.leave(some());
  expect(all.size).toBe(2);
  all.enter(a);
  all.leave(b);
  all.leave(c);
  expect([...all]).toEqual([a]);
});

it('is walked as it was when the walk began', () => {
  const all = new InProgress<{ place: number }>();
  const members = Array.from({ length: 5 }, some);
  for (const one of members) all.enter(one);
  const walked = [];
  for (const one of all) {
    all.leave(one);
    walked.push(one);
  }
  expect(walked).toEqual(members);
  expect(all.size).toBe(0);
});

it('keeps nothing of what has left', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: { readonly type: 'minor' | 'major' }) => void;
  const all = new InProgress<{ place: number; readonly text: unknown }>();
  const present: { place: number; readonly text: unknown }[] = [];
  const fill = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const one = { place: -1, text: Array.from({ length: 128 }, () => i) };
      all.enter(one);
      present.push(one);
      if (present.length > 32) all.leave(present.shift() as typeof one);
      if (i % 500 === 0) collect({ type: 'minor' });
    }
    collect({ type: 'minor' });
  };
  fill(2000);
  collect({ type: 'major' });
  const before = process.memoryUsage().heapUsed;
  // 20 MB in all, of which 32 KB are in progress at a time
  fill(20_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4 * 1024 * 1024);
});
