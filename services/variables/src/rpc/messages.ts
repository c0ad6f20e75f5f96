import { toLifecycle } from '@weir/kit/records';
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
    id: site.id,
    projectId: site.projectId,
    name: site.name,
    description: site.description,
    latitude: site.latitude,
    longitude: site.longitude,
    elevationM: site.elevationM,
    timezone: site.timezone,
    metadata: site.metadata,
    revision: site.revision,
    createdAtUs: site.createdAtUs,
    updatedAtUs: site.updatedAtUs,
    lifecycle: toLifecycle(site),
  };
}

/** An instrument as it travels. */
export function toInstrumentMessage(instrument: Instrument): InstrumentMessage {
  return {
    id: instrument.id,
    projectId: instrument.projectId,
    siteId: instrument.siteId,
    name: instrument.name,
    description: instrument.description,
    manufacturer: instrument.manufacturer,
    model: instrument.model,
    serialNumber: instrument.serialNumber,
    metadata: instrument.metadata,
    revision: instrument.revision,
    createdAtUs: instrument.createdAtUs,
    updatedAtUs: instrument.updatedAtUs,
    lifecycle: toLifecycle(instrument),
  };
}

/** A group as it travels, without its members. */
export function toGroupMessage(group: Group): GroupMessage {
  return {
    id: group.id,
    projectId: group.projectId,
    name: group.name,
    description: group.description,
    revision: group.revision,
    createdAtUs: group.createdAtUs,
    updatedAtUs: group.updatedAtUs,
    lifecycle: toLifecycle(group),
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
    id: variable.id,
    variableKey: variable.variableKey,
    projectId: variable.projectId,
    instrumentId: variable.instrumentId,
    name: variable.name,
    alias: variable.alias,
    variableType: variable.variableType,
    unit: variable.unit,
    expectedCadenceS: variable.expectedCadenceS,
    isTimeVariable: variable.isTimeVariable,
    configurationGeneration: variable.configurationGeneration,
    valueType: variable.valueType,
    viewOptionsJson: JSON.stringify(variable.viewOptions),
    revision: variable.revision,
    createdAtUs: variable.createdAtUs,
    updatedAtUs: variable.updatedAtUs,
    lifecycle: toLifecycle(variable),
    calculations,
  };
}
