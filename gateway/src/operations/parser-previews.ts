import { WeirError } from '@weir/kit/errors';
import type { RpcOptions } from '@weir/kit/rpc';
import type { PreviewFileRequest } from '@weir/proto/parsers';
import type { Clients } from '../clients/clients.js';
import { type Body, type Operation, operation } from '../http/operation.js';
import {
  type ConfigurationPreview,
  configurationPreview,
  configurationPreviewExample,
  fromPreview,
  type ParserPreview,
  parserPreview,
  parserPreviewExample,
  previewShape,
  toPreviewJson,
} from '../schemas/previews.js';
import { projectPath, readCall } from './record-call.js';

interface PreviewDependencies {
  readonly parsers: Pick<Clients['parsers'], 'previewFile'>;
  /** Limits in bytes: of the file, and of a body without one. */
  readonly previewBytesMax: number;
  readonly bodyBytesMax: number;
}

/** The error of a file that came in Base64, told of the member that it came in. */
function inBase64(error: unknown): unknown {
  if (!(error instanceof WeirError) || error.code !== 'invalid_request') return error;
  const details = error.details.map((detail) =>
    detail.path === '/content' ? { ...detail, path: '/content_base64' } : detail,
  );
  const message = error.message.replace(/^\/content:/, '/content_base64:');
  return new WeirError(error.code, message, { details, cause: error.cause });
}

const description =
  'Answers what is read of a file, and stores nothing: the same points as when the file is ingested, and for each ' +
  'row that gives none where and why. A file that cannot be read at all is 400.';

/** The operations that show what is read of a file, by a saved parser or by a configuration that nobody saved. */
export function parserPreviewsOperations(dependencies: PreviewDependencies): readonly Operation[] {
  const { parsers, previewBytesMax, bodyBytesMax } = dependencies;
  // in Base64, or as text in which many characters are escaped
  const bytesMax = 2 * previewBytesMax + bodyBytesMax;
  const ofConfiguration: Body<ConfigurationPreview> = {
    schema: configurationPreview,
    bytesMax,
    gzip: false,
    example: configurationPreviewExample,
  };
  const ofParser: Body<ParserPreview> = { schema: parserPreview, bytesMax, gzip: false, example: parserPreviewExample };
  const declared = {
    method: 'POST',
    tag: 'Parsers',
    auth: 'developer',
    permission: 'developer_api.parsers.preview',
    query: {},
    success: { status: 200, ...previewShape },
    errors: ['not_found'],
  } as const;
  const preview = async (request: PreviewFileRequest, file: ParserPreview, options: RpcOptions) => {
    try {
      return toPreviewJson(await parsers.previewFile(request, options));
    } catch (error) {
      throw file.content === undefined ? inBase64(error) : error;
    }
  };
  return [
    operation({
      ...declared,
      id: 'developerapi_parsers_preview_configuration',
      ...projectPath('/parsers/preview'),
      summary: 'Preview a file by a configuration',
      description,
      body: ofConfiguration,
      handle: async (request) => {
        const { body } = request;
        const { configuration, ...file } = body;
        const { key, options } = readCall('/parsers/preview', request);
        const reader = { $case: 'configurationJson', value: JSON.stringify(configuration) } as const;
        return await preview({ ...key, ...fromPreview(file, previewBytesMax), reader }, file, options);
      },
    }),
    operation({
      ...declared,
      id: 'developerapi_parsers_preview',
      ...projectPath('/parsers/{parser_id}/preview'),
      summary: 'Preview a file by a parser',
      description,
      body: ofParser,
      errors: ['not_found', 'lifecycle_conflict'],
      handle: async (request) => {
        const { body } = request;
        const { key, options } = readCall('/parsers/{parser_id}', request);
        const { projectId, parserId } = key;
        const reader = { $case: 'parserId', value: parserId } as const;
        return await preview({ projectId, ...fromPreview(body, previewBytesMax), reader }, body, options);
      },
    }),
  ];
}
