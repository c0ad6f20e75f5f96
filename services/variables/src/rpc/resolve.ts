import { fromProjectId } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import type {
  ResolvedInstrument as ResolvedInstrumentMessage,
  ResolvedVariable as ResolvedVariableMessage,
} from '@weir/proto/variables';
import { hasMissing } from '../domain/catalog-view.js';
import type { ProvisioningLimits } from '../domain/provisioning.js';
import {
  decideOutcomes,
  parseResolution,
  type ResolvedInstrument,
  type ResolvedVariable,
} from '../domain/resolution.js';
import type { CatalogEvents } from '../events.js';
import { selectGeneration } from '../store/catalogs.js';
import type { ChangeCatalog } from './change-catalog.js';
import type { VariablesMethods } from './methods.js';
import { type AskedOfCatalog, provision, viewNames } from './provision.js';

/** What resolving needs. */
interface Resolver {
  readonly pool: Pool;
  readonly changeCatalog: ChangeCatalog;
  readonly limits: ProvisioningLimits;
  readonly events: CatalogEvents;
}

const noVariable = { variableId: '', variableKey: 0, valueType: '', configurationGeneration: 0 };

function toVariableMessage(variable: ResolvedVariable): ResolvedVariableMessage {
  return 'errorCode' in variable ? { ...noVariable, ...variable } : { ...variable, errorCode: '' };
}

function toInstrumentMessage(instrument: ResolvedInstrument): ResolvedInstrumentMessage {
  return 'errorCode' in instrument
    ? { errorCode: instrument.errorCode, instrumentId: '', variables: [] }
    : {
        errorCode: '',
        instrumentId: instrument.instrumentId,
        variables: instrument.variables.map(toVariableMessage),
      };
}

async function provisionNames({ changeCatalog, limits, events }: Resolver, asked: AskedOfCatalog) {
  const { projectId, actor } = asked;
  const { view, instruments, variables } = await changeCatalog(projectId, (tx) => provision(tx, asked, limits), true);
  if (instruments > 0 || variables > 0) {
    events.provisioned({ projectId, connectionId: actor.id, instruments, variables });
  }
  return view;
}

/**
 * Names into variables. One statement when everything is there; what is missing is created in a
 * transaction that excludes every other change of the project's catalog.
 */
export function resolveMethod(resolver: Resolver): Pick<VariablesMethods, 'resolve'> {
  return {
    async resolve(request) {
      const projectId = fromProjectId(request.projectId);
      const { asked, provisioning, actor } = parseResolution(request);
      if (asked.instruments.length === 0) {
        const { generation } = await selectGeneration.one(resolver.pool, { projectId });
        return { generation, instruments: [] };
      }
      const { instruments } = asked;
      let view = await viewNames(resolver.pool, { projectId, instruments });
      if (provisioning === 'automatic' && hasMissing(view)) {
        view = await provisionNames(resolver, { projectId, instruments, actor });
      }
      const outcomes = decideOutcomes(asked, view, provisioning);
      return { generation: view.generation, instruments: outcomes.map(toInstrumentMessage) };
    },
  };
}
