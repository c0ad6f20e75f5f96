import { createHash } from 'node:crypto';
import type { z } from 'zod';
import type { Db } from './db.js';
import type { Sql } from './sql.js';

/** A statement of a store: its SQL, and the shape that its rows are decoded by. */
export interface Statement<A, R> {
  /** All rows. */
  all(db: Db, args: A): Promise<R[]>;
  /** The row, or undefined. A second row is an error of the statement. */
  maybe(db: Db, args: A): Promise<R | undefined>;
  /** The one row that must be there. */
  one(db: Db, args: A): Promise<R>;
  /** How many rows were written, for a statement without `returning`. */
  run(db: Db, args: A): Promise<number>;
}

/** Every statement that the loaded stores declare, for the test that prepares each. */
export const declaredStatements: ((args: unknown) => Sql)[] = [];

/** What builds the SQL of a declared statement, for the test that calls statements by their names. */
export const statementBuilders = new WeakMap<object, (args: unknown) => Sql>();

const names = new Map<string, string>();

function nameOf(text: string): string {
  let name = names.get(text);
  if (name === undefined) {
    name = `weir_${createHash('sha256').update(text).digest('hex').slice(0, 24)}`;
    names.set(text, name);
  }
  return name;
}

const camelKeys = new Map<string, string>();

function camelKey(column: string): string {
  let key = camelKeys.get(column);
  if (key === undefined) {
    key = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    camelKeys.set(column, key);
  }
  return key;
}

/**
 * Declares a statement. Columns reach the shape in camelCase (`created_at_us` as `createdAtUs`); a
 * column that is null is left out, so a shape says `.optional()`. The text must not depend on the
 * arguments: it is prepared once under its own name on each connection.
 *
 * Column types arrive as: int8 and numeric as number, timestamptz as microseconds since 1970,
 * bytea as Buffer, json as its value, the rest as pg has them.
 */
export function statement<A, S extends z.ZodType>(shape: S, build: (args: A) => Sql): Statement<A, z.output<S>> {
  type R = z.output<S>;
  declaredStatements.push(build as (args: unknown) => Sql);
  const query = async (db: Db, args: A): Promise<{ rows: R[]; count: number; text: string }> => {
    const built = build(args);
    const result = await db.query(built, nameOf(built.text));
    const rows = result.rows.map((row) => {
      const record: Record<string, unknown> = {};
      for (const column in row) if (row[column] !== null) record[camelKey(column)] = row[column];
      return shape.parse(record);
    });
    return { rows, count: result.rowCount ?? 0, text: built.text };
  };
  const maybe = async (db: Db, args: A): Promise<R | undefined> => {
    const { rows, text } = await query(db, args);
    if (rows.length > 1) throw new Error(`expected at most one row, got ${rows.length}: ${text}`);
    return rows[0];
  };
  const declared: Statement<A, R> = {
    all: async (db, args) => (await query(db, args)).rows,
    maybe,
    async one(db, args) {
      const row = await maybe(db, args);
      if (row === undefined) throw new Error(`expected a row: ${build(args).text}`);
      return row;
    },
    run: async (db, args) => (await query(db, args)).count,
  };
  statementBuilders.set(declared, build as (args: unknown) => Sql);
  return declared;
}
