import { listEntries } from '@weir/kit/audit';
import { type StartedService, startedService } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import { served, startRpcServer } from '@weir/kit/rpc';
import { openPool } from '@weir/kit/sql';
import { ProjectPlaces } from '@weir/kit/tenancy';
import { AuditServiceDefinition } from '@weir/proto/audit';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import type { VariablesConfig } from './config.js';
import { catalogEvents } from './events.js';
import { calculatedVariableMethods } from './rpc/calculated-variables.js';
import { calculationChangeMethods } from './rpc/calculation-changes.js';
import { catalogChanges } from './rpc/change-catalog.js';
import { constantMethods } from './rpc/constants.js';
import { findReferencesMethod } from './rpc/find-references.js';
import { groupMemberMethods } from './rpc/group-members.js';
import { groupMethods } from './rpc/groups.js';
import { instrumentZonesMethod } from './rpc/instrument-zones.js';
import { instrumentMethods } from './rpc/instruments.js';
import { listInstrumentsMethod } from './rpc/list-instruments.js';
import { listVariablesMethods } from './rpc/list-variables.js';
import type { VariablesMethods } from './rpc/methods.js';
import { operatorRecalculationMethods } from './rpc/operator-recalculations.js';
import { recalculationMethods } from './rpc/recalculations.js';
import { reportRecalculationsMethod } from './rpc/report-recalculations.js';
import { resolveMethod } from './rpc/resolve.js';
import { siteMethods } from './rpc/sites.js';
import { variableMethods } from './rpc/variables.js';
import { aliasConstraints } from './store/aliases.js';
import { selectAuditEntries } from './store/audit.js';
import { constantConstraints } from './store/constants.js';
import { groupConstraints } from './store/groups.js';
import { instrumentConstraints } from './store/instruments.js';
import { requireSchema } from './store/schema.js';
import { sessionSettings } from './store/session-settings.js';
import { siteConstraints } from './store/sites.js';
import { variableConstraints } from './store/variables.js';

/** Nothing here takes that long but the first sight of a hundred thousand names at once. */
const statementTimeoutMs = 60_000;

/** Starts the variables service: the catalog of sites, instruments and variables. */
export async function startVariables(config: VariablesConfig, log: Logger): Promise<StartedService> {
  await using started = new AsyncDisposableStack();
  const pool = started.use(
    openPool({
      url: config.databaseUrl,
      role: config.databaseRole,
      keepsToProjects: true,
      max: config.databasePoolMax,
      statementTimeoutMs,
      settings: sessionSettings,
      constraints: {
        ...siteConstraints,
        ...instrumentConstraints,
        ...variableConstraints,
        ...aliasConstraints,
        ...constantConstraints,
        ...groupConstraints,
      },
    }),
  );
  const changeCatalog = catalogChanges(pool);
  const methods: VariablesMethods = {
    ...siteMethods(pool, changeCatalog),
    ...instrumentMethods(pool, changeCatalog),
    ...listInstrumentsMethod(pool),
    ...variableMethods(pool, changeCatalog),
    ...calculatedVariableMethods(changeCatalog),
    ...listVariablesMethods(pool),
    ...constantMethods(pool, changeCatalog),
    ...recalculationMethods(pool),
    ...operatorRecalculationMethods(pool, changeCatalog),
    ...calculationChangeMethods(pool),
    ...reportRecalculationsMethod(pool),
    ...groupMethods(pool, changeCatalog),
    ...groupMemberMethods(pool, changeCatalog),
    ...findReferencesMethod(pool),
    ...instrumentZonesMethod(pool),
    ...resolveMethod({ pool, changeCatalog, limits: config, events: catalogEvents(log) }),
  };
  /** Lists of one project wait for each other, and leave connections for others, and for its own points. */
  const places = new ProjectPlaces(Math.ceil(config.databasePoolMax / 2));
  const server = started.use(
    await startRpcServer({
      listenAddress: config.listenAddress,
      healthAddress: config.healthAddress,
      services: [
        served(VariablesServiceDefinition, {
          ...methods,
          listSites: places.around(methods.listSites),
          listInstruments: places.around(methods.listInstruments),
          searchVariables: places.around(methods.searchVariables),
          listConstants: places.around(methods.listConstants),
          listGroups: places.around(methods.listGroups),
          listGroupMembers: places.around(methods.listGroupMembers),
        }),
        served(AuditServiceDefinition, { listEntries: (request) => listEntries(pool, selectAuditEntries, request) }),
      ],
      isReady: () => requireSchema(pool),
      log,
      drainMs: config.drainMs,
    }),
  );
  return startedService(started, server.address);
}
