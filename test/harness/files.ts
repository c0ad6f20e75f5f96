import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Tenant } from './tenant.js';

type Json = ReturnType<typeof JSON.parse>;

/** A file after the format of a real logger, with the parser that reads it. */
export interface FieldFile {
  readonly name: string;
  readonly uploadName: string;
  readonly siteTimezone: string;
  readonly configuration: Json;
  readonly bytes: Buffer;
}

const directory = fileURLToPath(new URL('../../libs/logfile/test/fixtures/field-data/files', import.meta.url));

/** The files of the corpus whose points are known exactly. */
export async function fieldFiles(): Promise<FieldFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.expect.json'));
  const files = names.map(async (name): Promise<FieldFile | undefined> => {
    const path = join(directory, name.replace(/\.expect\.json$/, ''));
    const expectation: Json = JSON.parse(await readFile(join(directory, name), 'utf8'));
    if (expectation.reference_reader !== 'yes') return undefined;
    return {
      name: basename(path),
      uploadName: expectation.upload_file_name,
      siteTimezone: expectation.site_timezone,
      configuration: expectation.parser.configuration,
      bytes: await readFile(path),
    };
  });
  return (await Promise.all(files)).filter((file) => file !== undefined);
}

/** A parser of lines of an instant and a level. */
export const levelsConfiguration = {
  timestamp: { columns: [{ header_name: 'time' }], input_format: 'iso8601' },
  data_layout: {
    layout: 'one_data_point_per_row',
    variable_mappings: [{ source_column: { header_name: 'level' }, variable_name: 'level' }],
  },
};

/** A file of that parser: a level a second from 2020 on; rows that `bad` names are none. */
export function* levels(rows: number, bad: ReadonlySet<number> = new Set()): Generator<string> {
  yield 'time,level\n';
  const startMs = Date.UTC(2020, 0, 1);
  let text = '';
  for (let row = 0; row < rows; row++) {
    text += `${new Date(startMs + row * 1000).toISOString()},${bad.has(row) ? 'ERR' : row / 8}\n`;
    if (text.length < 60_000 && row < rows - 1) continue;
    yield text;
    text = '';
  }
}

/** What a file is sent with. */
export interface FileCall {
  readonly parserId: string;
  readonly fileName: string;
  readonly siteId?: string | undefined;
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a file, whole or as its parts come. */
export async function sendFile(
  gatewayUrl: string,
  { ingestionKey }: Tenant,
  body: Buffer | string | ReadableStream<Uint8Array>,
  { parserId, fileName, siteId, idempotencyKey, headers, signal }: FileCall,
): Promise<{ readonly status: number; readonly run: Json; readonly error: Json }> {
  const query = new URLSearchParams({ parser_id: parserId, file_name: fileName, ...(siteId && { site_id: siteId }) });
  const response = await fetch(`${gatewayUrl}/v1/ingest/files?${query}`, {
    method: 'POST',
    headers: {
      'x-api-key': ingestionKey,
      'content-type': 'text/csv',
      ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
      ...headers,
    },
    body,
    ...(signal && { signal }),
    ...(body instanceof ReadableStream && { duplex: 'half' }),
  } as RequestInit);
  const { data, error } = (await response.json()) as Json;
  return { status: response.status, run: data?.run, error };
}
