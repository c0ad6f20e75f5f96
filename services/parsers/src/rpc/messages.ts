import { toLifecycle } from '@weir/kit/records';
import type { Parser as ParserMessage } from '@weir/proto/parsers';
import type { Parser } from '../domain/parser.js';

/** A parser as it travels. */
export function toParserMessage(parser: Parser): ParserMessage {
  return {
    id: parser.id,
    projectId: parser.projectId,
    name: parser.name,
    type: parser.type,
    version: parser.version,
    canonicalSizeBytes: parser.canonicalSizeBytes,
    configurationJson: JSON.stringify(parser.configuration),
    revision: parser.revision,
    createdAtUs: parser.createdAtUs,
    updatedAtUs: parser.updatedAtUs,
    lifecycle: toLifecycle(parser),
  };
}
