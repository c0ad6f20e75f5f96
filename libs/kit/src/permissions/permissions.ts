const records = ['list', 'create', 'read', 'update', 'archive', 'restore'] as const;

/**
 * The one table of permissions: family → actions. Operations name one of them, keys are granted some of them.
 */
export const permissionFamilies = {
  dashboards: records,
  sites: records,
  instruments: records,
  variables: ['list', 'read'],
  ingested_variables: records,
  calculated_variables: records,
  calibration_constants: records,
  instrument_groups: records,
  instrument_group_members: ['list', 'add', 'remove'],
  parsers: [...records, 'preview'],
  observations: ['read', 'export'],
  runs: ['list', 'read'],
} as const;

type Families = typeof permissionFamilies;

/** `developer_api.<family>.<action>` of the table. */
export type Permission = {
  [F in keyof Families]: `developer_api.${F}.${Families[F][number]}`;
}[keyof Families];

/** Every permission there is, in the order of the table. */
export const allPermissions: readonly Permission[] = Object.entries(permissionFamilies).flatMap(([family, actions]) =>
  actions.map((action) => `developer_api.${family}.${action}` as Permission),
);

const known: ReadonlySet<string> = new Set(allPermissions);

/** Whether a text is a permission of the table. */
export function isPermission(text: string): text is Permission {
  return known.has(text);
}
