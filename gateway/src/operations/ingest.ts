import { runStateWords } from '@weir/kit/run-states';
import { activeTraceparent } from '@weir/kit/telemetry';
import { z } from 'zod';
import { JsonText, type Operation, operation } from '../http/operation.js';
import { idempotencyKeyText, optional } from '../http/parameters.js';
import { admissionJson } from '../ingest/admission-json.js';
import { pointsSchema } from '../ingest/points-schema.js';
import { type PackedPoints, readPoints } from '../ingest/read-points.js';
import type { Submitter } from '../ingest/submitter.js';
import { idText } from '../schemas/answers.js';

const example = {
  data: [
    {
      instrument_timestamp: '2026-01-31T12:00:00Z',
      instrument_name: 'Gauge 12',
      ingested_variables: [
        { name: 'water_level', value: 1.532 },
        { name: 'battery', value: 12.6 },
      ],
    },
  ],
};

const admitted = z.strictObject({
  replayed: z.boolean().meta({ description: 'Whether this answers for an earlier request with the same key.' }),
  runs: z
    .array(z.strictObject({ run_id: idText, state: z.enum(runStateWords) }))
    .meta({ description: 'One durable run per point, in the order of the points.' }),
});

/** The operation that admits points. */
export function ingestOperations(
  submitter: Pick<Submitter, 'submit'>,
  limits: { readonly ingestPointsMax: number; readonly ingestBodyBytesMax: number },
): readonly Operation[] {
  const { ingestPointsMax, ingestBodyBytesMax } = limits;
  return [
    operation({
      id: 'ingest_points',
      method: 'POST',
      path: '/v1/ingest',
      tag: 'Ingestion',
      summary: 'Submit points',
      description:
        'Admits points of one or more instruments. The answer 200 means that each of them is a durable run; ' +
        'what becomes of a run is seen by reading it. One malformed point refuses the whole request and creates ' +
        'nothing. Of points for the same variable and instant the one that was admitted last stands; within a ' +
        'request, the later one.',
      auth: 'ingestion',
      params: {},
      query: {},
      headers: {
        'Idempotency-Key': optional(
          idempotencyKeyText,
          'Makes a retry safe: a request with a key that this connection has used before creates nothing and ' +
            'answers the runs of the first one with their present states. The bodies are not compared, so take a ' +
            'new key for new or corrected points. Without a key every request is new.',
          '0f9a5f0e-3a52-4a33-9d0c-6a2f5f2c7c11',
        ),
      },
      body: {
        schema: pointsSchema(ingestPointsMax),
        bytesMax: ingestBodyBytesMax,
        gzip: true,
        example,
        read: (json): PackedPoints => readPoints(json, ingestPointsMax),
      },
      success: {
        status: 200,
        schema: admitted,
        example: { replayed: false, runs: [{ run_id: '019c13a0-5c00-7000-8000-4a2f5f2c7800', state: 'queued' }] },
      },
      errors: [],
      handle: async (request) => {
        const { body, principal, requestId } = request;
        const admission = await submitter.submit(
          {
            projectId: principal.projectId,
            connectionId: principal.connectionId,
            idempotencyKey: request.header('Idempotency-Key') ?? '',
            provisioning: principal.provisioning,
            body: Buffer.from(body.body.buffer, body.body.byteOffset, body.body.byteLength),
            traceparent: activeTraceparent(),
            requestId,
          },
          request,
        );
        return new JsonText(admissionJson(admission));
      },
    }),
  ];
}
