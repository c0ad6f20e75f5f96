import { randomBytes } from 'node:crypto';
import { createLogger } from '@weir/kit/log';
import { createTestDatabase, type TestDatabase } from '@weir/kit/testing';

/** A log that says nothing. */
export const silentLog = createLogger('test', 'silent');

/** A database of this test file's own. */
export function testDatabase(): Promise<TestDatabase> {
  return createTestDatabase('observations');
}

/** A name for streams that no other test has. */
export function testPrefix(): string {
  return `test_${randomBytes(6).toString('hex')}`;
}
