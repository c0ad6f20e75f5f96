import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { testServer } from '@weir/kit/testing';
import { startStack } from '@weir/stack';
import { deleteStream } from './stack.js';

const pollMs = 50;

/** What became of a stack that was started before the schema that it needs. */
export interface Waited {
  /** How long it took to serve once the schema was there. */
  readonly readyMs: number;
  /** How often each process began. */
  readonly starts: ReadonlyMap<string, number>;
}

/**
 * Starts a stack on a database whose schema it waits for, waits until each process that is named has said so, makes the
 * schema, and waits until everything serves.
 */
export async function startBeforeSchema(
  databaseUrl: string,
  waiting: Readonly<Record<string, RegExp>>,
  makeSchema: () => Promise<unknown>,
): Promise<Waited> {
  await using opened = new AsyncDisposableStack();
  const logDirectory = await mkdtemp(join(tmpdir(), 'weir-waiting-'));
  opened.defer(() => rm(logDirectory, { recursive: true }));
  const prefix = `test_${randomBytes(6).toString('hex')}`;
  const natsUrl = testServer('NATS_URL');
  opened.defer(() => deleteStream(natsUrl, prefix));
  const servers = { databaseUrl, redisUrl: testServer('REDIS_URL'), natsUrl };
  const logOf = (name: string) => readFile(join(logDirectory, `${name}.log`), 'utf8').catch(() => '');
  const starting = startStack({ servers, prefix, logDirectory });
  const said = Object.entries(waiting).map(async ([name, text]) => {
    while (!text.test(await logOf(name))) await delay(pollMs);
  });
  await Promise.race([Promise.all(said), starting]);
  await Promise.all(said);
  await makeSchema();
  const madeMs = performance.now();
  const stack = opened.use(await starting);
  const readyMs = performance.now() - madeMs;
  const starts = new Map<string, number>();
  for (const { name } of stack.processes) starts.set(name, (await logOf(name)).match(/"msg":"ready"/g)?.length ?? 0);
  return { readyMs, starts };
}
