import { integer } from '@weir/kit/config';
import { pointsCeiling } from './read-points.js';

/**
 * The largest body that may be allowed: names of some characters have three times the bytes in NFC, and all of a body
 * goes to the ingestion service, and from there to a processor, as one message.
 */
export const ingestBodyBytesCeiling = 20 * 1024 * 1024;

/** Settings of the ingest operation. */
export const ingestSettings = {
  ingestPointsMax: {
    env: 'INGEST_POINTS_MAX',
    doc: 'Points that one ingest request may have.',
    grammar: integer(1, pointsCeiling),
    default: String(pointsCeiling),
  },
  ingestBodyBytesMax: {
    env: 'INGEST_BODY_BYTES_MAX',
    doc: 'Bytes that the body of one ingest request may have, after decompression.',
    grammar: integer(1024, ingestBodyBytesCeiling),
    default: String(16 * 1024 * 1024),
  },
  fileBytesMax: {
    env: 'FILE_BYTES_MAX',
    doc: 'Bytes that one file may have, after decompression.',
    grammar: integer(1024, 1_099_511_627_776),
    default: String(256 * 1024 * 1024),
  },
  fileTimeoutMs: {
    env: 'FILE_TIMEOUT_MS',
    doc: 'How long sending and reading one file may take, in milliseconds.',
    grammar: integer(1000, 86_400_000),
    default: '900000',
  },
  filesMax: {
    env: 'FILES_MAX',
    doc: 'Files that one gateway reads at a time, half of them of one project; each takes some megabytes of memory. Further ones are refused with 429.',
    grammar: integer(1, 10_000),
    default: '32',
  },
} as const;
