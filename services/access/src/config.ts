import { type ConfigOf, postgresSettings, processSettings, serverSettings } from '@weir/kit/config';

/** What may be set for the access service. */
export const settings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_access_tenant'),
} as const;

/** The settings in their parsed form. */
export type AccessConfig = ConfigOf<typeof settings>;
