import { openPool, sql, type Transaction } from '@weir/kit/sql';
import { startTcpProxy } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { arrangeRows } from '../src/domain/arrange-rows.js';
import { copyObservations } from '../src/store/observations.js';
import { testDatabase } from './test-servers.js';

test('J8: a copy that is left without an answer fails, and no process for it', async () => {
  await using database = await testDatabase();
  const target = new URL(database.url);
  await using proxy = await startTcpProxy(target.host);
  target.host = proxy.address;
  await using pool = openPool({ url: target.href, max: 1, statementTimeoutMs: 50, answerMarginMs: 100 });
  const { rows } = arrangeRows({
    count: 1,
    variableKeys: [1],
    slots: Uint32Array.of(0),
    instantsUs: Float64Array.of(1_700_000_000_000_000),
    values: Float64Array.of(1),
    admitted: Float64Array.of(1),
  });
  const begun = (tx: Transaction) => tx.query(sql`select 1`);
  const copy = () =>
    pool.transaction(async (tx) => {
      await begun(tx);
      await copyObservations(tx, rows);
    });
  const lost = pool.transaction(async (tx) => {
    await begun(tx);
    proxy.begin({ kind: 'black-hole' });
    await copyObservations(tx, rows);
  });
  await expect(lost).rejects.toThrow();
  // what is closed now fails once more; whoever does not listen ends with it, and this test as well
  proxy.begin({ kind: 'reset' });
  proxy.begin({ kind: 'none' });
  await expect
    .poll(() =>
      copy().then(
        () => 'copied',
        () => 'not yet',
      ),
    )
    .toBe('copied');
});
