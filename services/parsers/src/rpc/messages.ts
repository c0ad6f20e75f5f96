import { toRecordMessage } from '@weir/kit/records';
import type { Parser as ParserMessage } from '@weir/proto/parsers';
import type { Parser } from '../domain/parser.js';

/** A parser as it travels. */
export function toParserMessage(parser: Parser): ParserMessage {
  return {
    ...toRecordMessage(parser),
    type: parser.type,
    version: parser.version,
    canonicalSizeBytes: parser.canonicalSizeBytes,
    configurationJson: JSON.stringify(parser.configuration),
  };
}
