import { randomUUID } from 'node:crypto';

/** Who makes the changes of tests. */
export const operator = { type: 'user', id: 'operator' };

/** A project that nobody else uses. */
export function newProject(): string {
  return randomUUID();
}
