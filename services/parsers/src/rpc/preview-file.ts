import { setImmediate as nextTurn } from 'node:timers/promises';
import { faultError } from '@weir/kit/errors';
import { Faults } from '@weir/kit/faults';
import { requireActive, visible } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import { isTimezone } from '@weir/kit/time';
import { LogfileRefused, openLogfile } from '@weir/logfile';
import type { ParserConfiguration } from '@weir/parser-configuration';
import type { PreviewFileRequest, PreviewFileResponse } from '@weir/proto/parsers';
import type { ParsersConfig } from '../config.js';
import { requireConfiguration } from '../domain/parser.js';
import { Preview } from '../domain/preview.js';
import { selectParser } from '../store/parsers.js';
import { toKey } from './load-parser.js';

/** Other calls have their turn after so many bytes. */
const turnBytes = 65_536;

type Limits = Pick<ParsersConfig, 'parserConfigurationBytesMax' | 'previewBytesMax'>;

async function loadConfiguration(
  pool: Pool,
  { projectId, reader }: PreviewFileRequest,
  { parserConfigurationBytesMax }: Limits,
): Promise<ParserConfiguration> {
  if (reader?.$case === 'configurationJson') return requireConfiguration(reader.value, parserConfigurationBytesMax);
  const found = await selectParser.maybe(pool, toKey({ projectId, parserId: reader?.value ?? '' }));
  const parser = visible(found, 'parser', true);
  requireActive(parser, 'path/parser_id', 'parser', 'preview a file by it');
  return parser.configuration;
}

function check(
  { fileName, timezone, content }: PreviewFileRequest,
  configuration: ParserConfiguration,
  limits: Limits,
) {
  const faults = new Faults();
  const isNameNeeded = fileName === '' && configuration.instrument.name_source === 'base_name';
  if (isNameNeeded)
    faults.add('/file_name', 'required', "Give the file's name: the parser takes the instrument's from it.");
  if (timezone !== '' && !isTimezone(timezone))
    faults.add('/timezone', 'invalid_timezone', 'Give the name of an IANA time zone, such as Europe/Berlin or UTC.');
  if (content.length > limits.previewBytesMax)
    faults.add('/content', 'too_large', `Give at most ${limits.previewBytesMax} bytes, not ${content.length}.`);
  faults.throwIfAny();
}

/** Reads a file piece by piece, so that other calls have their turn. */
async function read(
  { fileName, timezone, content }: PreviewFileRequest,
  configuration: ParserConfiguration,
  signal: AbortSignal,
): Promise<PreviewFileResponse> {
  const reader = openLogfile({ configuration, fileName, pauses: true });
  const preview = new Preview();
  for (let at = 0; ; ) {
    const step = reader.next();
    if (step.kind === 'end') break;
    if (step.kind === 'batch') preview.add(step.batch);
    else if (step.kind === 'zone') reader.giveZone(step.instrumentName, timezone === '' ? undefined : timezone);
    else if (step.kind === 'bytes' && at >= content.length) reader.end();
    else {
      await nextTurn();
      signal.throwIfAborted();
      if (step.kind === 'pause') continue;
      reader.push(content.subarray(at, at + turnBytes));
      at += turnBytes;
    }
  }
  return {
    points: preview.points.map(({ line, atUs, instrumentName, variables }) => ({
      line,
      instrumentTimestampUs: atUs,
      instrumentName,
      values: [...variables],
    })),
    rowErrors: preview.rowErrors.map(({ line, column, code, message, raw }) => ({
      line,
      column: column ?? undefined,
      code,
      message,
      raw,
    })),
    columns: reader.columns.map(({ columnNumber, headerName }) => ({ columnNumber, headerName: headerName ?? '' })),
    counts: preview.counts,
    truncated: preview.truncated,
  };
}

/** Shows what a parser reads of a file. */
export async function previewFile(
  pool: Pool,
  request: PreviewFileRequest,
  { limits, signal }: { readonly limits: Limits; readonly signal: AbortSignal },
): Promise<PreviewFileResponse> {
  const configuration = await loadConfiguration(pool, request, limits);
  check(request, configuration, limits);
  try {
    return await read(request, configuration, signal);
  } catch (error) {
    if (!(error instanceof LogfileRefused)) throw error;
    const { code, message } = error;
    const path = code === 'instrument_invalid' ? '/file_name' : '/content';
    throw faultError('invalid_request', { path, code, message });
  }
}
