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
const timeoutMs = 300;

type Call = (request: object, options: { readonly timeoutMs: number }) => Promise<unknown> | AsyncIterable<unknown>;

/** The error that a call ends with, whether it answers once or streams. */
async function errorOf(call: Call): Promise<unknown> {
  try {
    const answer = call({}, { timeoutMs });
    if (Symbol.asyncIterator in answer) for await (const _ of answer);
    else await answer;
    return undefined;
  } catch (error) {
    return error;
  }
}

test.each(services)('G1: every call of $fullName to nowhere ends with its deadline', async (definition) => {
  await using nowhere = await startTcpProxy('127.0.0.1:1');
  nowhere.begin({ kind: 'black-hole' });
  using client = connect(definition, nowhere.address);
  const names = Object.keys(definition.methods);
  const calls = client as unknown as Readonly<Record<string, Call>>;
  const errors = await Promise.all(names.map((name) => errorOf((...args) => (calls[name] as Call)(...args))));
  for (const [at, error] of errors.entries()) {
    expect(error, names[at]).toBeInstanceOf(WeirError);
    expect(error, names[at]).toMatchObject({ code: 'dependency_unavailable', retryAfterSeconds: 1 });
  }
});
