import { errorDetailsMax } from '@weir/kit/errors';
import type { GatewayConfig } from '../config.js';
import { gzipRatioMax } from '../http/body.js';
import { jsonDepthMax } from '../http/json-excess.js';
import { cursorLengthMax, idLengthMax } from '../http/parameters.js';
import { referencesMax } from '../schemas/dashboards.js';
import type { Limit } from './model.js';

/** The effective limits of a deployment, as its document states them. */
export function limitsOf(config: GatewayConfig): readonly Limit[] {
  const limit = (name: string, value: number, unit: string, description: string): Limit => ({
    name,
    value,
    unit,
    description,
  });
  return [
    limit(
      'developer_requests_per_second',
      config.developerRequestsPerSecond,
      'requests/s',
      'Per Developer API key, in the long run.',
    ),
    limit(
      'developer_requests_burst',
      config.developerRequestsBurst,
      'requests',
      'Per Developer API key, at once after a pause.',
    ),
    limit(
      'developer_concurrent_requests',
      config.developerConcurrentRequests,
      'requests',
      'Per Developer API key in progress at a time.',
    ),
    limit(
      'developer_concurrent_exports',
      config.developerConcurrentExports,
      'requests',
      'Exports per Developer API key in progress at a time.',
    ),
    limit('export_ms', config.exportTimeoutMs, 'ms', 'Time that an export may take; it is broken off then.'),
    limit(
      'ingestion_requests_per_second',
      config.ingestionRequestsPerSecond,
      'requests/s',
      'Per ingestion connection, in the long run.',
    ),
    limit(
      'ingestion_requests_burst',
      config.ingestionRequestsBurst,
      'requests',
      'Per ingestion connection, at once after a pause.',
    ),
    limit(
      'ingestion_concurrent_requests',
      config.ingestionConcurrentRequests,
      'requests',
      'Per ingestion connection in progress at a time.',
    ),
    limit(
      'failed_credentials_per_minute',
      config.failedCredentialsPerMinute,
      'requests/min',
      'Calls without a valid key per address, in the long run; further ones are answered 429.',
    ),
    limit(
      'failed_credentials_burst',
      config.failedCredentialsBurst,
      'requests',
      'Calls without a valid key per address, at once after a pause.',
    ),
    limit(
      'public_requests_per_second',
      config.publicRequestsPerSecond,
      'requests/s',
      'Calls of operations without a key per address, at each gateway.',
    ),
    limit(
      'public_requests_burst',
      config.publicRequestsBurst,
      'requests',
      'Calls of operations without a key per address, at once after a pause.',
    ),
    limit('header_bytes', config.headerBytesMax, 'bytes', 'Request line and headers together; more is 431.'),
    limit(
      'body_bytes',
      config.bodyBytesMax,
      'bytes',
      'Body of an operation that states no limit of its own; more is 413.',
    ),
    limit(
      'ingest_body_bytes',
      config.ingestBodyBytesMax,
      'bytes',
      'Body of an ingest request after decompression; more is 413.',
    ),
    limit('file_bytes', config.fileBytesMax, 'bytes', 'A file after decompression; more is 413.'),
    limit('file_timeout_ms', config.fileTimeoutMs, 'ms', 'Time for sending and reading one file.'),
    limit(
      'files',
      config.filesMax,
      'files',
      'Files that one gateway reads at a time, half of them of one project; more is 429.',
    ),
    limit('preview_bytes', config.previewBytesMax, 'bytes', 'A file of which a preview is asked; more is 413.'),
    limit('ingest_points', config.ingestPointsMax, 'points', 'Points of one ingest request.'),
    limit('dashboard_widgets', config.widgetsPerDashboardMax, 'widgets', 'Widgets of one dashboard.'),
    limit('dashboard_references', referencesMax, 'records', 'Records that the widgets of one dashboard name.'),
    limit(
      'parser_configuration_bytes',
      config.parserConfigurationBytesMax,
      'bytes',
      'Configuration of one parser, as RFC 8785 canonical JSON.',
    ),
    limit('gzip_ratio', gzipRatioMax, 'times', 'Growth of a compressed body; more is 413.'),
    limit('json_depth', jsonDepthMax, 'levels', 'Nesting of arrays and objects in a body.'),
    limit('id_characters', idLengthMax, 'characters', 'Length of an id in a path or query.'),
    limit('cursor_characters', cursorLengthMax, 'characters', 'Length of a cursor; more is 429.'),
    limit('error_details', errorDetailsMax, 'faults', 'Faults that one error tells.'),
    limit(
      'held_bytes',
      config.heldBytesMax,
      'bytes',
      'Bodies and answers that one gateway holds; of them a key may hold half of what others leave, more is 503.',
    ),
    limit(
      'query_observations',
      config.queryObservationsMax,
      'observations',
      'Observations that a query with an interval may read, each at the cost of one; more is 429 before it begins.',
    ),
    limit('response_bytes', config.responseBytesMax, 'bytes', 'Size of one answer; more is 429.'),
    limit(
      'headers_timeout_ms',
      config.headersTimeoutMs,
      'ms',
      'Time for the headers of a request to arrive; later is 408. A connection on which nothing came is closed after it.',
    ),
    limit(
      'request_timeout_ms',
      config.requestTimeoutMs,
      'ms',
      'Time until a request is answered; a body that is late is 408, an answer that is late 503.',
    ),
    limit(
      'send_timeout_ms',
      config.sendTimeoutMs,
      'ms',
      'Time in which an answer must be taken, and a second more for each 64 KiB of it; the connection ends then.',
    ),
    limit('keep_alive_timeout_ms', config.keepAliveTimeoutMs, 'ms', 'Time that an idle connection stays open.'),
  ];
}
