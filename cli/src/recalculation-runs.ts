import { notFound, WeirError } from '@weir/kit/errors';
import type { Recalculation } from '@weir/proto/variables';
import { followPages, type PageLimits } from './pages.js';
import type { VariablesClient } from './services.js';

/** Which recalculations are listed; empty texts mean all. */
interface Filters {
  readonly projectId: string;
  readonly state: string;
  readonly createdAfterUs: number | undefined;
  readonly createdBeforeUs: number | undefined;
}

/** Recalculations of a project, or of all, newest first. */
export async function listRecalculations(variables: VariablesClient, filters: Filters, limits: PageLimits) {
  return await followPages(limits, async (page) => {
    const { recalculations } = await variables.listRecalculations({ ...filters, ...page });
    const isFull = recalculations.length === page.limit;
    return { items: recalculations, nextAfter: isFull ? (recalculations.at(-1)?.runId ?? '') : '' };
  });
}

/** A recalculation of any project. @throws WeirError `not_found` */
export async function readRecalculation(variables: VariablesClient, runId: string): Promise<Recalculation> {
  const { recalculation } = await variables.getRecalculation({ runId });
  if (recalculation === undefined) throw notFound('run');
  return recalculation;
}

/** What `read` gives; undefined where there is no such run. */
export async function unlessNotFound<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof WeirError && error.code === 'not_found') return undefined;
    throw error;
  }
}
