import { WeirError } from '@weir/kit/errors';
import { formatInstant } from '@weir/kit/time';
import { parserConfiguration } from '@weir/parser-configuration';
import type { PreviewFileRequest, PreviewFileResponse } from '@weir/proto/parsers';
import { z } from 'zod';
import { fileNameCharactersMax, fileNameText } from '../http/parameters.js';
import { instantText } from './answers.js';
import { newParserExample } from './parsers.js';
import { fileCounts, rowError, toRowErrorJson } from './row-errors.js';
import { timezoneText } from './texts.js';

/** The name of a file as it is sent, which is one where a file of this name can be ingested. */
const fileName = z
  .string()
  .refine((text) => 'value' in fileNameText.parse(text), {
    message: `Give a name of 1 to ${fileNameCharactersMax} characters, none a control character.`,
    params: { code: 'invalid_name' },
  })
  .meta({
    ...fileNameText.jsonSchema,
    description: "Required where the parser takes the instrument's name from it.",
  });

/** Bytes as text. */
const base64 = z
  .string()
  .refine((text) => text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text), {
    message: 'Give the bytes in Base64, padded and without line breaks.',
    params: { code: 'invalid_base64' },
  })
  .meta({
    contentEncoding: 'base64',
    pattern: '^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
    description: 'The bytes of the file in Base64 (RFC 4648, section 4).',
  });

const file = {
  content: z
    .string()
    .optional()
    .meta({ description: 'The file as text, to be read as UTF-8. Give this or `content_base64`.' }),
  content_base64: base64.optional(),
  file_name: fileName.optional(),
  timezone: timezoneText
    .optional()
    .meta({ description: "Stands for the zone of the instruments' sites; UTC unless given." }),
};

interface Content {
  readonly content?: string | undefined;
  readonly content_base64?: string | undefined;
}

function checkContent({ content, content_base64: bytes64 }: Content, context: z.core.$RefinementCtx): void {
  if ((content === undefined) !== (bytes64 === undefined)) return;
  const message = 'Give either content or content_base64.';
  const code = content === undefined ? 'required' : 'exclusive';
  context.addIssue({ code: 'custom', path: ['content'], message, params: { code } });
}

/** A file that is read by a parser. */
export const parserPreview = z.strictObject(file).superRefine(checkContent);

/** A file that is read by a configuration that nobody saved. */
export const configurationPreview = z
  .strictObject({ ...file, configuration: parserConfiguration })
  .superRefine(checkContent);

/** A file that is read by a parser, checked. */
export type ParserPreview = z.output<typeof parserPreview>;
/** The same with a configuration, checked. */
export type ConfigurationPreview = z.output<typeof configurationPreview>;

const byteOrderMark = '\u{feff}';
const withMark = (text: string): string => (text.startsWith(byteOrderMark) ? text : byteOrderMark + text);

/**
 * A file as the parsers service takes it. A configuration says how bytes are read; text is text whatever it
 * says, which its byte order mark tells the reader.
 *
 * @throws WeirError `body_too_large` for a file beyond the limit
 */
export function fromPreview(
  { content, content_base64: bytes64, file_name: name = '', timezone = '' }: ParserPreview,
  bytesMax: number,
): Pick<PreviewFileRequest, 'content' | 'fileName' | 'timezone'> {
  const bytes = content === undefined ? Buffer.from(bytes64 ?? '', 'base64') : Buffer.from(withMark(content));
  if (bytes.length > bytesMax)
    throw new WeirError('body_too_large', `A previewed file may have at most ${bytesMax} bytes; send its beginning.`);
  return { content: bytes, fileName: name, timezone };
}

const schema = z.strictObject({
  points: z.array(
    z.strictObject({
      line: z.int().min(1).meta({ description: 'The physical line, from 1.' }),
      instrument_timestamp: instantText,
      instrument_name: z.string(),
      ingested_variables: z.array(z.strictObject({ name: z.string(), value: z.number() })),
    }),
  ),
  row_errors: z.array(rowError),
  columns: z
    .array(z.strictObject({ column_number: z.int().min(1), header_name: z.string().nullable() }))
    .meta({ description: 'The columns of the header; without one, those of the first row.' }),
  counts: fileCounts.meta({ description: 'Of the whole file, also when `truncated`.' }),
  truncated: z.boolean().meta({ description: 'Whether points or row errors were left out, since there are too many.' }),
});

const bytes = 'TOA5,Station 1\nTIMESTAMP,RECORD,BattV_Min\nTS,RN,Volts\n,,Min\n2026-01-31 12:00:00,4710,12.6\n';

/** What a preview is asked with, for the document. */
export const parserPreviewExample = { content: bytes, file_name: 'Station 1.dat', timezone: 'Europe/Amsterdam' };

/** What a preview by a configuration is asked with, for the document. */
export const configurationPreviewExample = { ...parserPreviewExample, configuration: newParserExample.configuration };

const example: z.output<typeof schema> = {
  points: [
    {
      line: 5,
      instrument_timestamp: '2026-01-31T11:00:00.000Z',
      instrument_name: 'Station 1',
      ingested_variables: [{ name: 'Battery', value: 12.6 }],
    },
  ],
  row_errors: [],
  columns: [
    { column_number: 1, header_name: 'TIMESTAMP' },
    { column_number: 2, header_name: 'RECORD' },
    { column_number: 3, header_name: 'BattV_Min' },
  ],
  counts: { rows: 1, points: 1, errors: 0, missing: 0, skipped: 0 },
  truncated: false,
};

/** What a preview answers. */
export const previewShape = { schema, example };

/** A preview as it is answered. */
export function toPreviewJson({
  points,
  rowErrors,
  columns,
  counts,
  truncated,
}: PreviewFileResponse): z.output<typeof schema> {
  return {
    points: points.map(({ line, instrumentTimestampUs, instrumentName, values }) => ({
      line,
      instrument_timestamp: formatInstant(instrumentTimestampUs),
      instrument_name: instrumentName,
      ingested_variables: values,
    })),
    row_errors: rowErrors.map(toRowErrorJson),
    columns: columns.map(({ columnNumber, headerName }) => ({
      column_number: columnNumber,
      header_name: headerName === '' ? null : headerName,
    })),
    counts: counts ?? { rows: 0, points: 0, errors: 0, missing: 0, skipped: 0 },
    truncated,
  };
}
