import { contextFromTraceparent, inSpan, linkFromTraceparent, SpanKind } from '@weir/kit/telemetry';
import type { Delivery } from './delivery.js';

/** Further traces that a merge links to at most. */
const linksMax = 64;

/**
 * Runs the processing of messages in a span: of the trace of the request that was admitted first, so
 * that a lone one can be followed to the end, with links to the others of the merge.
 */
export async function inProcessSpan(deliveries: readonly Delivery[], work: () => Promise<void>): Promise<void> {
  const batches = deliveries.flatMap((delivery) => delivery.batches);
  const [first, ...others] = new Set(batches.map(({ queued }) => queued.traceparent).filter((text) => text !== ''));
  const links = others
    .slice(0, linksMax)
    .map(linkFromTraceparent)
    .filter((link) => link !== undefined);
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.type': 'process',
    'messaging.destination.name': deliveries[0]?.message.subject ?? '',
    'messaging.batch.message_count': deliveries.length,
    'weir.batches': batches.length,
  };
  await inSpan(
    'process runs',
    { kind: SpanKind.CONSUMER, attributes, links, parent: contextFromTraceparent(first ?? '') },
    work,
  );
}
