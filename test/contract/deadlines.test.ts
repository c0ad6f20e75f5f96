import { WeirError } from '@weir/kit/errors';
import { connect } from '@weir/kit/rpc';
import { startTcpProxy } from '@weir/kit/testing';
import { AccessServiceDefinition } from '@weir/proto/access';
import { DashboardsServiceDefinition } from '@weir/proto/dashboards';
import { IngestionServiceDefinition } from '@weir/proto/ingestion';
import { ObservationsServiceDefinition } from '@weir/proto/observations';
import { ParsersServiceDefinition } from '@weir/proto/parsers';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import { expect, test } from 'vitest';

const services = [
  AccessServiceDefinition,
  DashboardsServiceDefinition,
  IngestionServiceDefinition,
  ObservationsServiceDefinition,
  ParsersServiceDefinition,
  VariablesServiceDefinition,
];
const timeoutMs = 100;
/** So much later at most, by a machine that has nothing else to do. */
const lateMsMax = 50;
const triesMax = 10;

type Call = (request: object, options: { readonly timeoutMs: number }) => Promise<unknown> | AsyncIterable<unknown>;

/** The error that a call ends with, whether it answers once or streams, and when. */
async function endOf(call: Call): Promise<{ readonly error?: unknown; readonly tookMs: number }> {
  const beganMs = performance.now();
  try {
    const answer = call({}, { timeoutMs });
    if (Symbol.asyncIterator in answer) for await (const _ of answer);
    else await answer;
    return { tookMs: performance.now() - beganMs };
  } catch (error) {
    return { error, tookMs: performance.now() - beganMs };
  }
}

test.each(services)('G1: every call of $fullName to nowhere ends with its deadline', async (definition) => {
  await using nowhere = await startTcpProxy('127.0.0.1:1');
  nowhere.begin({ kind: 'black-hole' });
  using client = connect(definition, nowhere.address);
  const names = Object.keys(definition.methods);
  const calls = client as unknown as Readonly<Record<string, Call>>;
  for (const name of names) {
    const late: number[] = [];
    do {
      const { error, tookMs } = await endOf((...args) => (calls[name] as Call)(...args));
      expect(error, name).toBeInstanceOf(WeirError);
      expect(error, name).toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 1 });
      late.push(tookMs - timeoutMs);
      // who is late may have waited for others on this machine, and is asked again
    } while ((late.at(-1) ?? 0) > lateMsMax && late.length < triesMax);
    expect(Math.min(...late), name).toBeLessThanOrEqual(lateMsMax);
  }
});
