import { notFound } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { Lifecycle } from '@weir/proto/common';
import type {
  Instrument as InstrumentMessage,
  Site as SiteMessage,
  Variable as VariableMessage,
} from '@weir/proto/variables';
import type { Instrument } from '../domain/instrument.js';
import type { CatalogRecord } from '../domain/record.js';
import type { Site } from '../domain/site.js';
import type { Variable } from '../domain/variable.js';

/** The id of a project; a text that cannot be one names none. @throws WeirError `not_found` */
export function fromProjectId(projectId: string): string {
  if (!isId(projectId)) throw notFound('project');
  return projectId;
}

/** Passes on a record that is there and may be seen. @throws WeirError `not_found` */
export function visible<T extends CatalogRecord>(record: T | undefined, what: string, includeArchived: boolean): T {
  if (record === undefined || (record.archivedAtUs !== undefined && !includeArchived)) throw notFound(what);
  return record;
}

function toLifecycle({ archivedAtUs, archivedBy }: CatalogRecord): Lifecycle {
  return { state: archivedAtUs === undefined ? 'active' : 'archived', archivedAtUs, archivedBy };
}

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

export function toVariableMessage(variable: Variable): VariableMessage {
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
  };
}
