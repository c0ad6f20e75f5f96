import { AdmitRequest, AdmitResponse } from '@weir/proto/ingestion';
import { nestedPoints } from './nested-points.js';

const unary = { requestStream: false, responseStream: false, responseType: AdmitResponse, options: {} } as const;

/** A service that takes points in two forms and says how many they were. */
export const PointRpcsDefinition = {
  name: 'PointRpcs',
  fullName: 'weir.bench.PointRpcs',
  methods: {
    packed: { ...unary, name: 'Packed', requestType: AdmitRequest },
    nested: { ...unary, name: 'Nested', requestType: nestedPoints },
  },
} as const;
