import { WeirError } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import { Faults } from '../domain/faults.js';

/** Where a page begins and how long it is, as a list's statement takes it. */
export interface PageStart {
  readonly after: string | null;
  /** One more than asked for, to see whether there is a next page. */
  readonly limit: number;
}

/** Reads the paging of a list. */
export function readPage(request: { limit: number; after: string }): PageStart {
  const faults = new Faults();
  const limit = faults.limit(request.limit);
  faults.end();
  if (request.after !== '' && !isId(request.after))
    throw new WeirError('invalid_request', 'There is no such page; start again without it.', {
      details: [{ path: '/after', code: 'invalid_after', message: 'There is no such page; start again without it.' }],
    });
  return { after: request.after === '' ? null : request.after, limit: limit + 1 };
}

/** Cuts what a list's statement gave to the page that was asked for. */
export function toPage<R extends { readonly id: string }>(
  rows: R[],
  page: PageStart,
): { rows: R[]; nextAfter: string } {
  const isMore = rows.length === page.limit;
  const kept = isMore ? rows.slice(0, -1) : rows;
  return { rows: kept, nextAfter: isMore ? (kept.at(-1)?.id ?? '') : '' };
}
