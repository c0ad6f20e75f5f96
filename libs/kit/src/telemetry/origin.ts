import type { Attributes, SpanKind } from '@opentelemetry/api';
import { currentRequestId, inRequest, joinRequestIds } from '../log/index.js';
import { activeTraceparent, contextFromTraceparent, inSpan, isKeptBelow, linkFromTraceparent } from './span.js';

/** Further traces that work done for many links to at most. */
const linksMax = 64;

/** Where work comes from that is done apart from who asked for it: later, by another process, or for many together. */
export interface Origin {
  /** Empty when nothing is traced. */
  readonly traceparent: string;
  /** Empty when no request asked for it. */
  readonly requestId: string;
}

/** What is being worked for now. */
export function currentOrigin(): Origin {
  return { traceparent: activeTraceparent(), requestId: currentRequestId() };
}

/**
 * Runs work for those who asked for it, in a span of the trace of the first that is kept, so that a lone request can be followed to
 * the end, with links to the traces of the others. Its log has the ids of all.
 *
 * @param options.isApart - the span begins a trace of its own, and has links alone
 */
export async function inSpanOf<T>(
  name: string,
  origins: readonly Origin[],
  options: { readonly kind: SpanKind; readonly attributes?: Attributes; readonly isApart?: boolean },
  work: () => Promise<T>,
): Promise<T> {
  const { isApart = false, ...span } = options;
  const traces = [...new Set(origins.map(({ traceparent }) => traceparent))].filter((text) => text !== '');
  // below a trace that is not kept nothing is, and nobody follows a link to one
  const kept = traces.filter(isKeptBelow);
  const first = isApart ? '' : (kept[0] ?? traces[0] ?? '');
  const links = kept
    .filter((text) => text !== first)
    .slice(0, linksMax)
    .map(linkFromTraceparent)
    .filter((link) => link !== undefined);
  const requestId = joinRequestIds(origins.map((origin) => origin.requestId));
  const attributes = { ...span.attributes, ...(requestId !== '' && { 'weir.request_id': requestId }) };
  const parent = contextFromTraceparent(first);
  return await inRequest(requestId, () => inSpan(name, { ...span, attributes, links, parent }, work));
}
