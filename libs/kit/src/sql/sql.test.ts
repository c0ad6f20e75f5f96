import { expect, test } from 'vitest';
import { sql, sqlPart } from './index.js';

test('a value is a parameter, a part is text', () => {
  const columns = sqlPart`id, name`;
  expect(sql`
    select ${columns} from places where id = ${7} and ${sqlPart`name`} <> ${'x; drop'}`).toEqual({
    text: 'select id, name from places where id = $1 and name <> $2',
    values: [7, 'x; drop'],
  });
});

test('one template has a text for each of its parts', () => {
  const list = (order: ReturnType<typeof sqlPart>, limit: number) =>
    sql`select id from places order by id ${order} limit ${limit}`;
  const [up, down] = [sqlPart`asc`, sqlPart`desc`];
  const told = [list(up, 1), list(down, 2), list(up, 3)].map(({ text, values }) => `${text} ${values.join()}`);
  expect(told).toEqual([
    'select id from places order by id asc limit $1 1',
    'select id from places order by id desc limit $1 2',
    'select id from places order by id asc limit $1 3',
  ]);
});
