import { BufferGarbage } from '@weir/kit/garbage';
import { ExportFormat } from '@weir/proto/observations';
import { z } from 'zod';
import type { Clients } from '../clients/clients.js';
import { type ObservedVariables, variablesAskedMax } from '../clients/observed-variables.js';
import { type Operation, operation, StreamAnswer, type StreamedType } from '../http/operation.js';
import { boolean, id, idList, instant, oneOf, optional, required, withDefault } from '../http/parameters.js';
import { clampBound, rangeRule } from '../schemas/ranges.js';
import { exampleIds } from '../schemas/records.js';

const csv: StreamedType = {
  type: 'text/csv; charset=utf-8',
  example: `timestamp,variable_id,variable_name,unit,value\r\n2026-01-31T12:00:00.000Z,${exampleIds.variable},Water level,m,1.532\r\n`,
};

const ndjson: StreamedType = {
  type: 'application/x-ndjson',
  aliases: ['application/ndjson', 'application/jsonl'],
  example: `{"timestamp":"2026-01-31T12:00:00.000Z","variable_id":"${exampleIds.variable}","variable_name":"Water level","unit":"m","value":1.532}\n`,
};

/** A piece is in frames, a message and itself until it is sent. */
const buffersPerPiece = 3;
/** Of all exports: what they pass on is garbage soon, and more than all else that the process makes. */
const garbage = new BufferGarbage();

/** A service of which nothing comes for so long, while the client waits, is taken for gone. */
const pieceTimeoutMs = 30_000;

type OpenStream = Clients['openObservationStream'];
type ExportCall = Parameters<ReturnType<OpenStream>['exportObservations']>;

async function* exportedTexts(open: OpenStream, ...call: ExportCall): AsyncGenerator<Buffer, void, undefined> {
  using observations = open();
  for await (const { text } of observations.exportObservations(...call)) {
    if (text.length > 0) yield text;
    garbage.add(text.length * buffersPerPiece);
  }
}

/** The operation that exports raw observations. */
export function exportObservationsOperations(
  dependencies: {
    readonly observed: ObservedVariables;
    readonly openObservationStream: OpenStream;
  },
  limits: {
    readonly exportTimeoutMs: number;
    readonly sendTimeoutMs: number;
    readonly developerConcurrentExports: number;
  },
): readonly Operation[] {
  const { observed, openObservationStream } = dependencies;
  return [
    operation({
      id: 'developerapi_observations_export',
      method: 'GET',
      path: '/dev-api/v1/p/{project_id}/observations/export',
      tag: 'Observations',
      summary: 'Export observations',
      description:
        'Every raw observation of variables in a half-open range, however many, as they were at one instant: ' +
        'variable by variable in the order asked, a line each. `Accept: application/x-ndjson` gives a JSON object a ' +
        'line, anything else CSV (RFC 4180) with a header. In CSV a name or unit that a spreadsheet would take for a ' +
        'formula has an apostrophe before it. The answer comes as fast as it is taken; a client that takes nothing ' +
        `for ${limits.sendTimeoutMs / 1000} s, or for long less than 64 KiB a second, is cut off. An export that fails on the way ends in a broken connection ` +
        'and never as a shorter file.',
      auth: 'developer',
      permission: 'developer_api.observations.export',
      params: { project_id: required(id, 'Id of the project that the key belongs to.') },
      query: {
        variable_id: required(
          idList(1, variablesAskedMax),
          'The variables, in the order of the lines.',
          exampleIds.variable,
        ),
        start: optional(instant, 'Observations at this instant or later. Before 1700 it means 1700.'),
        end: optional(instant, 'Observations before this instant. After 2250 it means 2250.'),
        order: withDefault(oneOf('asc', 'desc'), 'asc', 'Order in time within each variable.'),
        include_archived: withDefault(boolean, false, 'Whether archived variables may be read.'),
      },
      queryRules: [rangeRule('start', 'end')],
      success: { status: 200, schema: z.string(), example: csv.example, streamed: [csv, ndjson] },
      errors: ['not_found', 'query_too_large'],
      timeoutMs: limits.exportTimeoutMs,
      concurrentMax: limits.developerConcurrentExports,
      handle: async ({ query, principal, requestId, signal, mediaType }) => {
        const { projectId } = principal;
        const asked = { projectId, ids: query.variable_id, includeArchived: query.include_archived };
        const found = await observed.list(asked, { requestId, signal });
        const isNdjson = mediaType === ndjson.type;
        const texts = exportedTexts(
          openObservationStream,
          {
            projectId,
            series: found.map(({ variableKey, id: variableId, name: variableName, unit }) => ({
              variableKey,
              variableId,
              variableName,
              unit,
            })),
            startUs: clampBound(query.start),
            endUs: clampBound(query.end),
            descending: query.order === 'desc',
            format: isNdjson ? ExportFormat.NDJSON : ExportFormat.CSV,
          },
          { requestId, signal, timeoutMs: limits.exportTimeoutMs, pieceTimeoutMs },
        );
        const headers = {
          'Content-Type': mediaType,
          'Content-Disposition': `attachment; filename="observations.${isNdjson ? 'ndjson' : 'csv'}"`,
        };
        return new StreamAnswer(headers, texts);
      },
    }),
  ];
}
