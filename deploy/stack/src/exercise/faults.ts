import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { findProcess } from '../processes/process-record.js';
import type { RunningStack } from '../running-stack.js';

/** What faults are put into. */
export interface ExerciseTarget {
  readonly stack: RunningStack;
  readonly runDirectory: string;
}

/** A fault that an operator is to find. */
export interface ExerciseFault {
  /** What it was, for who has guessed. */
  readonly was: string;
  /** How it could be seen. */
  readonly shows: string;
  /** Puts it in, and goes on with it until the signal; what it did is undone then. */
  readonly run: (target: ExerciseTarget, signal: AbortSignal) => Promise<void>;
}

async function pidOf({ runDirectory }: ExerciseTarget, name: string): Promise<number> {
  const found = await findProcess(runDirectory, name);
  if (found === undefined) throw new Error(`${name} is none of the processes that ./dev up has started here`);
  return found.pid;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/** Stops a process for `stoppedMs` and lets it go on for `goingMs`, again and again. */
async function halt(target: ExerciseTarget, name: string, stoppedMs: number, goingMs: number, signal: AbortSignal) {
  const pid = await pidOf(target, name);
  try {
    while (!signal.aborted) {
      process.kill(pid, 'SIGSTOP');
      await pause(stoppedMs, signal);
      process.kill(pid, 'SIGCONT');
      if (goingMs > 0) await pause(goingMs, signal);
    }
  } finally {
    process.kill(pid, 'SIGCONT');
  }
}

async function withDatabase({ stack }: ExerciseTarget, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: stack.servers.databaseUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/** Sends requests, so many at a time, whatever is answered. */
async function hammer(send: () => Promise<Response>, atOnce: number, pauseMs: number, signal: AbortSignal) {
  const client = async (): Promise<void> => {
    while (!signal.aborted) {
      const answer = await send().catch(() => undefined);
      // what is read whole leaves its connection for the next
      await answer?.arrayBuffer().catch(() => undefined);
      if (pauseMs > 0) await pause(pauseMs, signal);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, client));
}

const unending = 2 ** 31 - 1;
const poison = 6.0221e23;

/** By the names that --fault takes. */
export const exerciseFaults: Readonly<Record<string, ExerciseFault>> = {
  'slow-sql': {
    was: 'SQL was slow: somebody locked the table of observations for 0.7 s, again and again.',
    shows:
      'Spans of statements on observations.observations take up to 0.7 s, in the query service and the processor alike; all other spans are as short as ever. db_client_operation_duration_seconds rises, event loops are idle.',
    run: (target, signal) =>
      withDatabase(target, async (client) => {
        while (!signal.aborted) {
          await client.query('begin');
          await client.query('lock table observations.observations in access exclusive mode');
          await client.query('select pg_sleep(0.7)');
          await client.query('commit');
          await pause(50, signal);
        }
      }),
  },
  'slow-process': {
    was: 'One process was slow: the query service was halted for 400 ms out of 500.',
    shows:
      'Calls of ObservationsService take long, seen from the gateway, while its own statements do not; nodejs_eventloop_delay_max_seconds of observations is near 0.4, of the others not.',
    run: (target, signal) => halt(target, 'observations', 400, 100, signal),
  },
  poison: {
    was: 'Some points could not be processed: PostgreSQL refused their values.',
    shows:
      'weir_processor_messages_retried_total and weir_processor_batches_given_up_total rise, runs end as failed with processing_error, and the log of the processor says why: poison.',
    run: (target, signal) =>
      withDatabase(target, async (client) => {
        const { gatewayUrl, demo } = target.stack;
        await client.query(`
          create or replace function observations.refuse_poison() returns trigger language plpgsql as
          $$ begin raise exception 'poison'; end $$;
          create or replace trigger poison before insert on observations.observations
          for each row when (new.value = ${poison}) execute function observations.refuse_poison()`);
        const body = () => ({
          instrument_timestamp: new Date().toISOString(),
          instrument_name: demo.instrumentName,
          ingested_variables: [{ name: demo.variableName, value: poison }],
        });
        const send = () =>
          fetch(`${gatewayUrl}/v1/ingest`, {
            method: 'POST',
            headers: { 'x-api-key': demo.ingestKey, 'content-type': 'application/json' },
            body: JSON.stringify({ data: [body()] }),
          });
        try {
          await hammer(send, 1, 1000, signal);
        } finally {
          await client.query('drop trigger poison on observations.observations');
          await client.query('drop function observations.refuse_poison()');
        }
      }),
  },
  'redis-down': {
    was: 'Redis did not answer.',
    shows:
      'weir_gateway_limits_degraded is 1, the log of the gateway says that redis is away; requests go on, at their share of the limits.',
    run: (target, signal) => halt(target, 'redis', unending, 0, signal),
  },
  'nats-down': {
    was: 'NATS did not answer.',
    shows:
      'Points are admitted and none is stored: weir_ingestion_backlog_oldest_age_seconds rises, weir_ingestion_batches_publish_failed_total too; traces of POST /v1/ingest end with `publish runs`, which fails.',
    run: (target, signal) => halt(target, 'nats', unending, 0, signal),
  },
  'noisy-key': {
    was: 'One key asked for far more than its limit.',
    shows:
      'Most requests are answered with 429: weir_gateway_limits_refused_total{weir_limit="rate"} rises, and the lines `request` of the gateway have one key_id.',
    run: ({ stack: { gatewayUrl, demo } }, signal) => {
      // the cheapest of all, so that the limit is what it meets
      const url = `${gatewayUrl}/dev-api/v1/permissions`;
      return hammer(() => fetch(url, { headers: { authorization: `Bearer ${demo.apiKey}` } }), 16, 0, signal);
    },
  },
};
