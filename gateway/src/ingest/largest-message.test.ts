import { messageBytesMax } from '@weir/kit/rpc';
import { runErrorCodes } from '@weir/kit/run-codes';
import { unpackPoints } from '@weir/points';
import { AdmitRequest, CompleteRunsRequest, GetBatchBodyResponse, RunState } from '@weir/proto/ingestion';
import { ResolveRequest } from '@weir/proto/variables';
import { describe, expect, test } from 'vitest';
import { pointsCeiling, readPoints, variablesMax } from './read-points.js';
import { ingestBodyBytesCeiling } from './settings.js';

const id = '01920000-0000-7000-8000-000000000000';
/** Four bytes, and three characters of four bytes each in NFC: nothing grows more. */
const lengthened = '\u{1d160}';

/** A name that no other one is, as long as may be and of what grows most. */
function longName(number: number): string {
  return number.toString(36).padStart(4, '0') + lengthened.repeat(84);
}

/** A name that no other one is, as short as may be. */
function shortName(number: number): string {
  return number.toString(36);
}

/** The longest legal body whose names are all different. */
function longestBody(nameOf: (number: number) => string): string {
  let names = 0;
  let room = ingestBodyBytesCeiling - '{"data":[]}'.length;
  const points: string[] = [];
  while (points.length < pointsCeiling) {
    const head = `{"instrument_timestamp":"2026-01-31T12:00:00Z","instrument_name":"${nameOf(names++)}","ingested_variables":[`;
    room -= Buffer.byteLength(head) + 3;
    const variables: string[] = [];
    while (variables.length < variablesMax) {
      const variable = `{"name":"${nameOf(names++)}","value":0}`;
      if (room < Buffer.byteLength(variable) + 1) break;
      room -= Buffer.byteLength(variable) + 1;
      variables.push(variable);
    }
    if (variables.length === 0) break;
    points.push(`${head}${variables.join(',')}]}`);
  }
  return `{"data":[${points.join(',')}]}`;
}

describe.each([
  ['names that grow most when they are normalized', longName],
  ['as many different names as may be', shortName],
])('G5: the largest legal body, of %s', { timeout: 60_000 }, (_, nameOf) => {
  const text = longestBody(nameOf);
  const { body } = readPoints(JSON.parse(text), pointsCeiling);
  const packed = Buffer.from(body.buffer, body.byteOffset, body.byteLength);

  test('is no longer than it may be', () => {
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(ingestBodyBytesCeiling);
  });

  test('goes to the ingestion service as one message, and from there to a processor', () => {
    const submission = {
      projectId: id,
      connectionId: id,
      idempotencyKey: 'k'.repeat(255),
      provisioning: 'automatic',
      body: packed,
      traceparent: 't'.repeat(128),
      requestId: 'r'.repeat(128),
    };
    expect(AdmitRequest.encode({ submissions: [submission] }).finish().length).toBeLessThan(messageBytesMax);
    expect(GetBatchBodyResponse.encode({ body: packed }).finish().length).toBeLessThan(messageBytesMax);
  });

  test('has names that are asked for in one message', () => {
    const instruments = [...Map.groupBy(unpackPoints(packed).channels, ({ instrumentName }) => instrumentName)].map(
      ([instrumentName, channels]) => ({
        siteId: '',
        instrumentName,
        variableNames: channels.map(({ variableName }) => variableName),
      }),
    );
    const asked = { projectId: id, provisioning: 'automatic', connectionId: id, knownGeneration: 1, instruments };
    expect(ResolveRequest.encode(asked).finish().length).toBeLessThan(messageBytesMax);
  });

  test('is told of in one message when each of its values fails for the longest of reasons', () => {
    const { channels, count, valueStarts } = unpackPoints(packed);
    const errors = Object.entries(runErrorCodes).map(([code, message]) => ({ code, message }));
    const [error] = errors.sort((a, b) => b.message.length - a.message.length);
    const deviations = Array.from({ length: count }, (__, index) => ({
      index,
      state: RunState.FAILED,
      error,
      variables: Array.from({ length: (valueStarts[index + 1] ?? 0) - (valueStarts[index] ?? 0) }, (___, position) => ({
        position,
        outcome: 'failed',
        error,
      })),
    }));
    const outcome = {
      id: Number.MAX_SAFE_INTEGER,
      publicId: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      indexes: [],
      variableIds: Buffer.alloc(16 * channels.length),
      deviations,
      epoch: 1,
    };
    expect(CompleteRunsRequest.encode({ batches: [outcome] }).finish().length).toBeLessThan(messageBytesMax);
  });
});
