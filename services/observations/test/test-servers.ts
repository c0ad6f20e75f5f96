import { randomBytes } from 'node:crypto';
import { createLogger } from '@weir/kit/log';
import { openPool, type Pool } from '@weir/kit/sql';
import { createTestDatabase, type TestDatabase } from '@weir/kit/testing';

/** A log that says nothing. */
export const silentLog = createLogger('test', 'silent');

/** A database of this test file's own. */
export function testDatabase(): Promise<TestDatabase> {
  return createTestDatabase('observations');
}

/** A database of this test file's own, as a processor uses it and as its owner does. */
export interface TestPools extends AsyncDisposable {
  readonly pool: Pool;
  readonly admin: Pool;
}

/** Opens them. */
export async function openTestPools(): Promise<TestPools> {
  await using opening = new AsyncDisposableStack();
  const { url } = opening.use(await testDatabase());
  const pool = opening.use(openPool({ url, role: 'weir_observations', max: 4 }));
  const admin = opening.use(openPool({ url, max: 1 }));
  const opened = opening.move();
  return { pool, admin, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** A name for streams that no other test has. */
export function testPrefix(): string {
  return `test_${randomBytes(6).toString('hex')}`;
}
