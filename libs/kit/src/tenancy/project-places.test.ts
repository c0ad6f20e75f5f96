import { expect, test, vi } from 'vitest';
import { ProjectPlaces } from './project-places.js';

/** Queries that run until they are told to end, with the order in which they began. */
function queries(places: ProjectPlaces) {
  const begun: string[] = [];
  const { signal } = new AbortController();
  const start = (projectId: string, name: string, until = signal) => {
    const ending = Promise.withResolvers<void>();
    const done = places.within(projectId, until, async () => {
      begun.push(name);
      await ending.promise;
      return name;
    });
    done.catch(() => undefined);
    return { end: ending.resolve, fail: ending.reject, done };
  };
  return { begun, start };
}

test('a project has so many places, and others have theirs', async () => {
  const { begun, start } = queries(new ProjectPlaces(2));
  const [a1] = ['a1', 'a2', 'a3', 'a4'].map((name) => start('a', name));
  start('b', 'b1');
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  a1?.end();
  await a1?.done;
  await vi.waitFor(() => expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']));
});

test('one that fails gives its place back, and one that nobody waits for leaves the queue', async () => {
  const { begun, start } = queries(new ProjectPlaces(1));
  const first = start('a', 'first');
  const abort = new AbortController();
  const left = start('a', 'left', abort.signal);
  const last = start('a', 'last');
  abort.abort(new Error('gone'));
  await expect(left.done).rejects.toThrow('gone');
  await expect(start('a', 'late', abort.signal).done).rejects.toThrow('gone');
  first.fail(new Error('broken'));
  await expect(first.done).rejects.toThrow('broken');
  last.end();
  expect(await last.done).toBe('last');
  const again = start('a', 'again');
  again.end();
  await again.done;
  expect(begun).toEqual(['first', 'last', 'again']);
});
