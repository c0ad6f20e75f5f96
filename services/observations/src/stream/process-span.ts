import { inSpanOf, SpanKind } from '@weir/kit/telemetry';
import type { Delivery } from './delivery.js';

/** Batches and projects that a span names at most. */
const namedMax = 16;

/** Runs the processing of messages for the requests that were admitted, in a span of the trace of the first. */
export async function inProcessSpan(deliveries: readonly Delivery[], work: () => Promise<void>): Promise<void> {
  const batches = deliveries.flatMap((delivery) => delivery.batches).map(({ queued }) => queued);
  const attributes = {
    'messaging.system': 'nats',
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.destination.name': deliveries[0]?.message.subject ?? '',
    'messaging.batch.message_count': deliveries.length,
    'weir.batches': batches.length,
    'weir.batch_ids': batches.slice(0, namedMax).map(({ id }) => id),
    'weir.project_ids': [...new Set(batches.map(({ projectId }) => projectId))].slice(0, namedMax),
  };
  await inSpanOf('process runs', batches, { kind: SpanKind.CONSUMER, attributes }, work);
}
