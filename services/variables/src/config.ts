import { type ConfigOf, integer, postgresSettings, processSettings, serverSettings } from '@weir/kit/config';

/** Settings of the variables service. */
export const settings = {
  ...processSettings,
  ...serverSettings,
  ...postgresSettings('weir_variables_tenant'),
  instrumentsPerProjectMax: {
    env: 'INSTRUMENTS_PER_PROJECT_MAX',
    doc: 'Active instruments that a project may have before points create no more of them.',
    grammar: integer(1, 10_000_000),
    default: '100000',
  },
  variablesPerInstrumentMax: {
    env: 'VARIABLES_PER_INSTRUMENT_MAX',
    doc: 'Active variables that an instrument may have before points create no more of them.',
    grammar: integer(1, 100_000),
    default: '2000',
  },
} as const;

/** The settings as they are used. */
export type VariablesConfig = ConfigOf<typeof settings>;
