import { expect, test } from 'vitest';
import { Faults } from './faults.js';

const thrown = (...paths: string[]) => {
  const faults = new Faults();
  for (const path of paths) faults.add(path, 'wrong', 'Give another.');
  return () => faults.throwIfAny();
};

test('one fault is the message, and of several it says how many', () => {
  expect(thrown()).not.toThrow();
  expect(thrown('/name')).toThrow('/name: Give another.');
  expect(thrown('')).toThrow(/^Give another.$/);
  expect(thrown('/name', '/alias')).toThrow('The request has 2 faults; correct those that the details name.');
});
