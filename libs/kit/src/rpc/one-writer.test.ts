import { AdmitRequest, AdmitResponse, IngestionServiceDefinition } from '@weir/proto/ingestion';
import { expect, test } from 'vitest';
import { writtenByOne } from './one-writer.js';

const { requestType, responseType } = writtenByOne(IngestionServiceDefinition).methods.admit;

/** As nice-grpc makes of it what it passes on. */
const written = (message: AdmitRequest): Buffer => Buffer.from(requestType.encode(message).finish());
const plain = (message: AdmitRequest): Buffer => Buffer.from(AdmitRequest.encode(message).finish());

const request = (bytes: number): AdmitRequest =>
  AdmitRequest.fromPartial({ submissions: [{ projectId: 'one', body: Buffer.alloc(bytes, bytes % 251) }, {}] });

test('messages are what writers of their own would write, and none changes with the next', () => {
  const messages = [0, 10, 100_000, 3, 2_000_000, 700, 100_000].map(request);
  const all = [AdmitRequest.create(), ...messages];
  expect(all.map(written)).toEqual(all.map(plain));
});

test('a message holds no more memory than it has bytes', () => {
  for (const bytes of [written(request(2_000_000)), written(request(100_000)), written(request(1))])
    expect(bytes.buffer.byteLength).toBe(bytes.length);
});

test('what was written of a message that failed is not in the next', () => {
  const broken = AdmitResponse.fromPartial({ admissions: [{ batchId: 'begun', count: 2 ** 40 }] });
  expect(() => responseType.encode(broken).finish()).toThrow();
  expect(written(request(5))).toEqual(plain(request(5)));
});
