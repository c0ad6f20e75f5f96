import { ProjectPlaces } from '@weir/kit/tenancy';
import { z } from 'zod';
import { type Operation, operation } from '../http/operation.js';
import { fileNameText, id, idempotencyKeyText, optional, required } from '../http/parameters.js';
import { LimitError } from '../http/ports.js';
import { type FileClients, ingestFile } from '../ingest/ingest-file.js';
import { fileRunExample, fileRunSchema, toFileRunJson } from '../schemas/file-runs.js';

const example = [
  'TOA5,Station 1,CR1000,4711,CR1000.Std.32,CPU:hourly.CR1,2155,Table1',
  'TIMESTAMP,RECORD,BattV_Min',
  'TS,RN,Volts',
  ',,Min',
  '2026-01-31 12:00:00,4710,12.6',
  '2026-01-31 13:00:00,4711,12.5',
  '',
].join('\n');

const description =
  'Reads a file of a logger by a saved parser while it is sent, and admits its points. The answer 200 means that the ' +
  'whole file was read and each of its points is a durable run; what became of one is seen by reading it. A bad row ' +
  'fails itself, not the file: `row_errors` tell the first ones. Points of files are processed beside those that are ' +
  'submitted live, and never delay them; an instrument without a zone in the parser, the file or a site is in UTC. ' +
  'A file of which no row can be read at all is 400 and leaves no run. One that did not come to its end leaves a run ' +
  'that is `running`, and some time later `failed` with `file_interrupted`, with its points so far admitted: ' +
  'sent again under its `Idempotency-Key` it goes on where it stopped, without duplicates, and by the version of the ' +
  'parser that it was begun with. Clients that can should send `Expect: 100-continue`: then a file that was read ' +
  'before is answered without being sent again.';

/** The operation that ingests files. */
export function ingestFilesOperations(
  clients: FileClients,
  limits: { readonly fileBytesMax: number; readonly fileTimeoutMs: number; readonly filesMax: number },
): readonly Operation[] {
  const { fileBytesMax, fileTimeoutMs, filesMax } = limits;
  // what one project sends, and however slowly, leaves room for others
  const places = new ProjectPlaces(Math.ceil(filesMax / 2));
  let files = 0;
  return [
    operation({
      id: 'ingest_file',
      method: 'POST',
      path: '/v1/ingest/files',
      tag: 'Ingestion',
      summary: 'Ingest a file',
      description,
      auth: 'ingestion',
      params: {},
      query: {
        parser_id: required(id, 'The parser that reads the file.', fileRunExample.parser_id),
        file_name: required(
          fileNameText,
          "Name of the file; many parsers take the instrument's name from it.",
          fileRunExample.file_name,
        ),
        site_id: optional(id, 'The site where the instruments of the file stand, and whose zone their times are in.'),
      },
      headers: {
        'Idempotency-Key': optional(
          idempotencyKeyText,
          'Makes it safe to send a file again: a key means one file. A file that was read to its end under the key is ' +
            'not read again, and its run is answered; one that was interrupted is gone on with. The bytes are not ' +
            'compared, so take a new key for a file that has changed. Without a key every request is new.',
          'a6e1d0c7b1f24f7e9b1f',
        ),
      },
      upload: {
        mediaTypes: ['text/csv', 'text/plain', 'application/octet-stream'],
        bytesMax: fileBytesMax,
        description: 'The bytes of the file as the logger wrote it, whatever of the media types they are sent as.',
        example,
      },
      timeoutMs: fileTimeoutMs,
      success: { status: 200, schema: z.strictObject({ run: fileRunSchema }), example: { run: fileRunExample } },
      errors: ['not_found'],
      handle: async (request) => {
        const { query, principal, upload, requestId, signal } = request;
        using place = files < filesMax ? places.tryTake(principal.projectId) : undefined;
        if (place === undefined)
          throw new LimitError('concurrency_limited', 'Many files are being read; send this one again in a moment.', {
            retryAfterSeconds: 5,
          });
        files++;
        try {
          const run = await ingestFile(clients, {
            principal,
            parserId: query.parser_id,
            fileName: query.file_name,
            siteId: query.site_id,
            idempotencyKey: request.header('Idempotency-Key') ?? '',
            upload,
            requestId,
            signal,
          });
          if (run.file === undefined) throw new Error('the run of a file lacks it');
          return { run: toFileRunJson(run, run.file) };
        } finally {
          files--;
        }
      },
    }),
  ];
}
