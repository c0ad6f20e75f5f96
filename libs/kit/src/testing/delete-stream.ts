import { jetstreamManager } from '@nats-io/jetstream';
import { connectNats, runsStream } from '../nats/index.js';

/** Deletes the stream of a deployment, with its consumers. */
export async function deleteStream(natsUrl: string, prefix: string): Promise<void> {
  const nats = await connectNats(natsUrl, 'test');
  const manager = await jetstreamManager(nats);
  await manager.streams.delete(runsStream(prefix).stream);
  await nats.close();
}
