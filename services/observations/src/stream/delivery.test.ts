import type { JsMsg } from '@nats-io/jetstream';
import { PointsPacker } from '@weir/points';
import { QueuedBatch, RunsMessage } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { readDelivery } from './delivery.js';

/** The weight of a message with a batch of so many points, each with values of these names. */
function weight(count: number, names: readonly string[]): number {
  const packer = new PointsPacker();
  for (let i = 0; i < count; i++) {
    packer.beginPoint(i, undefined, 'Logger');
    for (const name of names) packer.addValue(name, i);
  }
  const batch = QueuedBatch.fromPartial({ id: 1, body: Buffer.from(packer.pack()) });
  const data = RunsMessage.encode({ batches: [batch] }).finish();
  return readDelivery({ data, info: { deliveryCount: 1 } } as unknown as JsMsg).weight;
}

test('a message counts as its points in a merge, or as more for many values or long names', () => {
  expect(weight(1000, ['level'])).toBe(1000);
  expect(
    weight(
      1000,
      Array.from({ length: 256 }, (_, i) => `${i}`),
    ),
  ).toBe(8000);
  expect(weight(1, ['n'.repeat(100 * 1024)])).toBe(101);
});
