import type { Db } from '../sql/index.js';

interface Plan {
  readonly 'Actual Rows': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

/**
 * Runs a statement that the session has prepared.
 *
 * @param execution - its name with its arguments, such as `page(7, 'a')`
 * @returns how many rows it gave, and how many blocks it read for them
 */
export async function readCost(session: Db, execution: string): Promise<{ rows: number; blocks: number }> {
  const text = `explain (analyze, buffers, format json) execute ${execution}`;
  const [row] = (await session.query({ text, values: [] })).rows;
  const [{ Plan: plan }] = (row as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'];
  return { rows: plan['Actual Rows'], blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'] };
}
