import { newId } from '@weir/kit/ids';
import type { Constant, Group, GroupMember, Instrument, Site, Variable } from '@weir/proto/variables';

/** Records of the catalog as the service tells them, and as the gateway answers them. */

export const ids = {
  project: newId(),
  site: newId(),
  instrument: newId(),
  variable: newId(),
  constant: newId(),
  group: newId(),
  run: newId(),
} as const;

const bookkeeping = {
  projectId: ids.project,
  revision: 3,
  createdAtUs: 1_000_000,
  updatedAtUs: 2_000_001,
  lifecycle: { state: 'archived', archivedAtUs: 3_000_000, archivedBy: { type: 'user', id: 'u' } },
};
const bookkeepingJson = {
  project_id: ids.project,
  revision: 3,
  created_at: '1970-01-01T00:00:01.000Z',
  updated_at: '1970-01-01T00:00:02.000001Z',
  lifecycle_state: 'archived',
  archived_at: '1970-01-01T00:00:03.000Z',
  archived_by: { type: 'user', id: 'u' },
};
const epoch = '1970-01-01T00:00:00.000Z';

export const site: Site = {
  id: ids.site,
  ...bookkeeping,
  name: 'North',
  description: '',
  elevationM: -2,
  timezone: 'UTC',
  metadata: { a: 'b' },
};
export const siteJson = {
  id: ids.site,
  ...bookkeepingJson,
  name: 'North',
  description: '',
  latitude: null,
  longitude: null,
  elevation_m: -2,
  timezone: 'UTC',
  metadata: { a: 'b' },
};

export const instrument: Instrument = {
  id: ids.instrument,
  ...bookkeeping,
  siteId: ids.site,
  name: 'Gauge',
  description: 'd',
  model: 'm',
  metadata: {},
};
export const instrumentJson = {
  id: ids.instrument,
  ...bookkeepingJson,
  site_id: ids.site,
  name: 'Gauge',
  description: 'd',
  manufacturer: null,
  model: 'm',
  serial_number: null,
  metadata: {},
  last_observation_at: epoch,
};

const calculationId = 'a'.repeat(21);
const inputIds = ['b'.repeat(21), 'c'.repeat(21)] as const;

export const calculation = {
  id: calculationId,
  startTimeUs: 0,
  expression: 'x * k',
  editorTokens: [{ kind: 'text', text: 'x * k' }],
  inputs: [
    { id: inputIds[0], kind: 'self_variable', variableId: ids.variable, pastBufferSeconds: 1.5 },
    { id: inputIds[1], kind: 'constant', constantId: ids.constant },
  ],
};
export const calculationJson = {
  id: calculationId,
  start_time: epoch,
  expression: 'x * k',
  editor_tokens: [{ kind: 'text', text: 'x * k' }],
  inputs: [
    {
      id: inputIds[0],
      kind: 'self_variable',
      variable_id: ids.variable,
      constant_id: null,
      source_instrument_id: null,
      past_buffer_seconds: 1.5,
    },
    {
      id: inputIds[1],
      kind: 'constant',
      variable_id: null,
      constant_id: ids.constant,
      source_instrument_id: null,
      past_buffer_seconds: null,
    },
  ],
};

const viewOptions = { hide: true, graph: { scale: { min: 0, max: 1, interval: 1, custom: true } } };

export const ingested: Variable = {
  id: ids.variable,
  ...bookkeeping,
  variableKey: 7,
  instrumentId: ids.instrument,
  name: 'level',
  alias: 'level',
  variableType: 'ingested',
  unit: 'm',
  isTimeVariable: false,
  configurationGeneration: 2,
  valueType: 'decimal',
  viewOptionsJson: JSON.stringify(viewOptions),
  calculations: [],
};
export const ingestedJson = {
  id: ids.variable,
  ...bookkeepingJson,
  instrument_id: ids.instrument,
  name: 'level',
  alias: 'level',
  variable_type: 'ingested',
  unit: 'm',
  expected_cadence_s: null,
  is_time_variable: false,
  configuration_generation: 2,
  value_type: 'decimal',
  view_options: viewOptions,
};
export const calculated: Variable = { ...ingested, variableType: 'calculated', calculations: [calculation] };
export const calculatedJson = { ...ingestedJson, variable_type: 'calculated', calculations: [calculationJson] };

export const constant: Constant = {
  id: ids.constant,
  ...bookkeeping,
  instrumentId: ids.instrument,
  name: 'slope',
  alias: 'k',
  values: [{ startTimeUs: 0, value: 2 }],
};
export const constantJson = {
  id: ids.constant,
  ...bookkeepingJson,
  instrument_id: ids.instrument,
  name: 'slope',
  alias: 'k',
  unit: null,
  values: [{ start_time: epoch, value: 2 }],
};

export const group: Group = { id: ids.group, ...bookkeeping, name: 'River', description: '' };
export const groupJson = { id: ids.group, ...bookkeepingJson, name: 'River', description: '' };

export const member: GroupMember = { instrumentGroupId: ids.group, instrumentId: ids.instrument, addedAtUs: 0 };
export const memberJson = { instrument_group_id: ids.group, instrument_id: ids.instrument, added_at: epoch };
