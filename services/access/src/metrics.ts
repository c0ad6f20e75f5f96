/** What the access service counts, beside what every process does. */
export const metrics = {
  refused: {
    name: 'weir.access.keys.refused',
    kind: 'counter',
    unit: '{key}',
    doc: 'Well-formed keys that were refused.',
    attributes: {
      'weir.key.kind': ['developer', 'ingestion'],
      'weir.reason': ['unknown', 'wrong_secret', 'revoked', 'expired'],
    },
  },
  usesNotStored: {
    name: 'weir.access.last_use.failed',
    kind: 'counter',
    unit: '{time}',
    doc: 'How often it could not be stored when keys were last used.',
  },
} as const;
