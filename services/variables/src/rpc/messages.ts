import { toRecordMessage } from '@weir/kit/records';
import type {
  GroupMember as GroupMemberMessage,
  Group as GroupMessage,
  Instrument as InstrumentMessage,
  Site as SiteMessage,
  Variable as VariableMessage,
} from '@weir/proto/variables';
import type { Group, GroupMember } from '../domain/group.js';
import type { Instrument } from '../domain/instrument.js';
import type { Site } from '../domain/site.js';
import type { Variable } from '../domain/variable.js';

/** A site as it travels. */
export function toSiteMessage(site: Site): SiteMessage {
  return {
    ...toRecordMessage(site),
    description: site.description,
    latitude: site.latitude,
    longitude: site.longitude,
    elevationM: site.elevationM,
    timezone: site.timezone,
    metadata: site.metadata,
  };
}

/** An instrument as it travels. */
export function toInstrumentMessage(instrument: Instrument): InstrumentMessage {
  return {
    ...toRecordMessage(instrument),
    siteId: instrument.siteId,
    description: instrument.description,
    manufacturer: instrument.manufacturer,
    model: instrument.model,
    serialNumber: instrument.serialNumber,
    metadata: instrument.metadata,
  };
}

/** A group as it travels, without its members. */
export function toGroupMessage(group: Group): GroupMessage {
  return {
    ...toRecordMessage(group),
    description: group.description,
  };
}

/** A member of a group as it travels. */
export function toGroupMemberMessage({ groupId, instrumentId, addedAtUs }: GroupMember): GroupMemberMessage {
  return { instrumentGroupId: groupId, instrumentId, addedAtUs };
}

/** A variable as it travels, with the calculations that are given. */
export function toVariableMessage(
  variable: Variable,
  calculations: VariableMessage['calculations'] = [],
): VariableMessage {
  return {
    ...toRecordMessage(variable),
    variableKey: variable.variableKey,
    instrumentId: variable.instrumentId,
    alias: variable.alias,
    variableType: variable.variableType,
    unit: variable.unit,
    expectedCadenceS: variable.expectedCadenceS,
    isTimeVariable: variable.isTimeVariable,
    configurationGeneration: variable.configurationGeneration,
    valueType: variable.valueType,
    viewOptionsJson: JSON.stringify(variable.viewOptions),
    calculations,
  };
}
