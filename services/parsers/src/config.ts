import { type ConfigOf, parserLimits, postgresSettings, processSettings, serverSettings } from '@weir/kit/config';

/** Settings of the parsers service. */
export const settings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_parsers_tenant'),
  ...parserLimits,
} as const;

/** The settings as they are used. */
export type ParsersConfig = ConfigOf<typeof settings>;
