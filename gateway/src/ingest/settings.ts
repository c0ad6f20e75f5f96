import { integer } from '@weir/kit/config';
import { pointsCeiling } from './read-points.js';

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
    grammar: integer(1024, 48 * 1024 * 1024),
    default: String(16 * 1024 * 1024),
  },
} as const;
