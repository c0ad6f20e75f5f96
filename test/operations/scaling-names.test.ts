import { jetstreamManager } from '@nats-io/jetstream';
import { connectNats } from '@weir/kit/nats';
import { testServer } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { render } from '../chart/helm.js';
import { variantOf } from '../chart/variants.js';
import { openTestStack } from '../harness/stack.js';

interface Trigger {
  readonly type: string;
  readonly metadata: { readonly stream: string; readonly consumer: string };
}

test('H22: KEDA asks for the very stream and consumers that a running Weir makes on NATS', async () => {
  await using stack = await openTestStack();
  const nats = await connectNats(testServer('NATS_URL'), 'test');
  await using opened = new AsyncDisposableStack();
  opened.defer(() => nats.close());
  const manager = await jetstreamManager(nats);
  const name = `${stack.prefix}_runs_v1`;
  const consumers = (await manager.consumers.list(name).next()).map((consumer) => `${name} ${consumer.name}`);

  const rendered = render(...variantOf('keda').args, '--set', `nats.streamPrefix=${stack.prefix}`);
  const scaled = rendered.find(({ kind }) => kind === 'ScaledObject')?.['spec'] as { triggers: Trigger[] };
  const asked = scaled.triggers
    .filter(({ type }) => type === 'nats-jetstream')
    .map(({ metadata }) => `${metadata.stream} ${metadata.consumer}`);
  // what is computed anew is no point that waits: it may take its time
  const waiting = consumers.filter((consumer) => !consumer.includes('_recalculation'));
  expect(asked.toSorted()).toEqual(waiting.toSorted());
});
