import { type ConfigOf, integer, postgresSettings, processSettings, serverSettings } from '@weir/kit/config';

/** Settings of the parsers service. */
export const settings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_parsers'),
  configurationBytesMax: {
    env: 'CONFIGURATION_BYTES_MAX',
    doc: 'Bytes that the configuration of one parser may have, as canonical JSON; a page of parsers has many.',
    grammar: integer(1024, 1_048_576),
    default: '262144',
  },
} as const;

/** The settings as they are used. */
export type ParsersConfig = ConfigOf<typeof settings>;
