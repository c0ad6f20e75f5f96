import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WeirError } from '../src/errors/index.js';
import { openPool, type Pool, sql, type Transaction } from '../src/sql/index.js';
import { createEmptyDatabase, type TestDatabase } from '../src/testing/index.js';

let database: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  database = await createEmptyDatabase();
  pool = openPool({
    url: database.url,
    max: 5,
    constraints: {
      accounts_pkey: () => new WeirError('name_conflict', 'There is one of this name.'),
      accounts_balance_check: () => new WeirError('invalid_request', 'No debts.'),
    },
  });
  await pool.query(sql`
    create table accounts (
      name text constraint accounts_pkey primary key,
      balance integer not null constraint accounts_balance_check check (balance >= 0)
    )`);
});
afterAll(async () => {
  await pool[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});
beforeEach(() => pool.query(sql`truncate accounts`));

const insert = (name: string) => sql`insert into accounts (name, balance) values (${name}, 1)`;
const count = async () => (await pool.query(sql`select count(*) as count from accounts`)).rows[0]?.['count'];

describe('a transaction', () => {
  test('commits when its work returns', async () => {
    const result = await pool.transaction(async (tx) => {
      await tx.query(insert('a'));
      expect(await count()).toBe(0);
      await tx.query(insert('b'));
      return 'done';
    });
    expect(result).toBe('done');
    expect(await count()).toBe(2);
  });

  test('rolls back when its work throws, and throws the same', async () => {
    const error = new Error('changed my mind');
    const work = pool.transaction(async (tx) => {
      await tx.query(insert('a'));
      throw error;
    });
    await expect(work).rejects.toBe(error);
    expect(await count()).toBe(0);
  });

  test('commits with its last statement, after which it refuses others', async () => {
    await pool.transaction(async (tx) => {
      await tx.query(insert('a'));
      await tx.last.query(insert('b'));
      expect(await count()).toBe(2);
      expect(() => tx.query(insert('late'))).toThrow('after the end of its transaction');
    });
    await pool.transaction(async (tx) => {
      await tx.last.query(insert('only'));
    });
    expect(await count()).toBe(3);
  });

  test('rolls back when its last statement fails', async () => {
    const work = pool.transaction(async (tx) => {
      await tx.query(insert('a'));
      await tx.last.query(insert('a'));
    });
    await expect(work).rejects.toMatchObject({ code: 'name_conflict' });
    expect(await count()).toBe(0);
    // and the connection is as it was
    await pool.transaction((tx) => tx.query(insert('a')));
    expect(await count()).toBe(1);
  });

  test('fails when its last statement has failed, whether its work looks at that or not', async () => {
    await pool.query(insert('a'));
    const swallowed = pool.transaction(async (tx) => void (await tx.last.query(insert('a')).catch(() => undefined)));
    await expect(swallowed).rejects.toMatchObject({ code: 'name_conflict' });
    const left = pool.transaction(async (tx) => void tx.last.query(insert('a')));
    await expect(left).rejects.toMatchObject({ code: 'name_conflict' });
    await pool.transaction(async (tx) => void tx.last.query(insert('b')));
    expect(await count()).toBe(2);
  });

  test('tells where a statement was asked for that failed', async () => {
    await pool.query(insert('a'));
    const failed = await pool
      .transaction(async function theWork(tx) {
        await tx.query(sql`select 1 / (balance - 1) from accounts`);
      })
      .catch((error: Error) => error);
    expect((failed as Error).stack).toContain('theWork');
  });

  test('rolls back when its first statement fails', async () => {
    await pool.query(insert('a'));
    await expect(pool.transaction((tx) => tx.query(insert('a')))).rejects.toMatchObject({ code: 'name_conflict' });
    expect((await pool.query(sql`select pg_current_xact_id_if_assigned() as id`)).rows).toEqual([{ id: null }]);
    expect(await count()).toBe(1);
  });

  test('does not begin with a COPY', async () => {
    await expect(pool.transaction(async (tx) => void tx.client)).rejects.toThrow('begins with a statement');
  });

  test('refuses statements after its end', async () => {
    let escaped: Transaction | undefined;
    await pool.transaction(async (tx) => {
      escaped = tx;
    });
    expect(() => escaped?.query(insert('late'))).toThrow('after the end of its transaction');
  });

  test('turns constraints into what they mean, anything else stays as it is', async () => {
    await pool.query(insert('a'));
    await expect(pool.transaction((tx) => tx.query(insert('a')))).rejects.toMatchObject({ code: 'name_conflict' });
    await expect(pool.query(sql`update accounts set balance = -1`)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(pool.query(sql`insert into accounts (name) values ('b')`)).rejects.toMatchObject({ code: '23502' });
    await expect(pool.query(sql`select nothing`)).rejects.toMatchObject({ code: '42703' });
  });
});

describe('what stands in the way of a transaction is tried again', () => {
  test('a serialization failure', async () => {
    await pool.query(insert('a'));
    let attempts = 0;
    await pool.transaction(async (tx) => {
      attempts++;
      await tx.query(sql`set transaction isolation level repeatable read`);
      await tx.query(sql`select balance from accounts`);
      // another change slips in behind the snapshot of the first attempt
      if (attempts === 1) await pool.query(sql`update accounts set balance = balance + 10`);
      await tx.query(sql`update accounts set balance = balance + 1`);
    });
    expect(attempts).toBe(2);
    expect((await pool.query(sql`select balance from accounts`)).rows).toEqual([{ balance: 12 }]);
  });

  test('a deadlock', async () => {
    await pool.query(insert('a'));
    await pool.query(insert('b'));
    const bothHoldOne = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
    let attempts = 0;
    const change = (me: 0 | 1, first: string, second: string) =>
      pool.transaction(async (tx) => {
        attempts++;
        await tx.query(sql`update accounts set balance = balance + 1 where name = ${first}`);
        bothHoldOne[me].resolve();
        await bothHoldOne[me === 0 ? 1 : 0].promise;
        await tx.query(sql`update accounts set balance = balance + 1 where name = ${second}`);
      });
    await Promise.all([change(0, 'a', 'b'), change(1, 'b', 'a')]);
    expect(attempts).toBe(3);
    const { rows } = await pool.query(sql`select balance from accounts`);
    expect(rows).toEqual([{ balance: 3 }, { balance: 3 }]);
  });

  test('three times, then it is dependency_unavailable', async () => {
    let attempts = 0;
    const work = pool.transaction(async (tx) => {
      attempts++;
      await tx.query(sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`);
    });
    await expect(work).rejects.toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 1 });
    expect(attempts).toBe(3);
  });

  test('not when its work failed', async () => {
    let attempts = 0;
    const work = pool.transaction(async () => {
      attempts++;
      throw new Error('no');
    });
    await expect(work).rejects.toThrow('no');
    expect(attempts).toBe(1);
  });
});
