import type { Clients } from './clients/clients.js';
import { ObservedVariables } from './clients/observed-variables.js';
import type { GatewayConfig } from './config.js';
import type { Cursors } from './cursors/cursors.js';
import { heldBytesMaxOf } from './http/held-bytes.js';
import type { Operation } from './http/operation.js';
import type { Submitter } from './ingest/submitter.js';
import { serveDocument } from './openapi/serve-document.js';
import { calculatedVariablesOperations } from './operations/calculated-variables.js';
import { calibrationConstantsOperations } from './operations/calibration-constants.js';
import { dashboardWidgetsOperations } from './operations/dashboard-widgets.js';
import { dashboardsOperations } from './operations/dashboards.js';
import { exportObservationsOperations } from './operations/export-observations.js';
import { ingestOperations } from './operations/ingest.js';
import { ingestFilesOperations } from './operations/ingest-files.js';
import { ingestRunsOperations } from './operations/ingest-runs.js';
import { ingestedVariablesOperations } from './operations/ingested-variables.js';
import { instrumentGroupMembersOperations } from './operations/instrument-group-members.js';
import { instrumentGroupsOperations } from './operations/instrument-groups.js';
import { instrumentsOperations } from './operations/instruments.js';
import { latestObservationsOperations } from './operations/latest-observations.js';
import { metadataOperations } from './operations/metadata.js';
import { observationsOperations } from './operations/observations.js';
import { parserPreviewsOperations } from './operations/parser-previews.js';
import { parsersOperations } from './operations/parsers.js';
import { projectRunsOperations } from './operations/runs.js';
import { sitesOperations } from './operations/sites.js';
import { variablesOperations } from './operations/variables.js';

/** What the handlers of operations use. */
export type Dependencies = Pick<
  Clients,
  'variables' | 'dashboards' | 'parsers' | 'ingestion' | 'observations' | 'openObservationStream'
> & {
  readonly submitter: Pick<Submitter, 'submit'>;
  readonly cursors: Cursors;
};

/** Every operation of a gateway, in the order of the document; the last ones tell of all of them. */
export function declareOperations(dependencies: Dependencies, config: GatewayConfig): readonly Operation[] {
  const ofFamilies = { ...dependencies, bodyBytesMax: config.bodyBytesMax };
  const ofObservations = { ...dependencies, observed: new ObservedVariables(dependencies.variables) };
  const operations: Operation[] = [
    ...ingestOperations(dependencies.submitter, config),
    ...ingestFilesOperations(dependencies, config),
    ...ingestRunsOperations(dependencies),
    ...sitesOperations(ofFamilies),
    ...instrumentsOperations(ofFamilies),
    ...variablesOperations(ofFamilies),
    ...ingestedVariablesOperations(ofFamilies),
    ...calculatedVariablesOperations(ofFamilies),
    ...calibrationConstantsOperations(ofFamilies),
    ...instrumentGroupsOperations(ofFamilies),
    ...instrumentGroupMembersOperations(ofFamilies),
    ...dashboardsOperations(ofFamilies, config),
    ...dashboardWidgetsOperations(ofFamilies),
    // before the paths of single parsers, which match `/parsers/preview` too
    ...parserPreviewsOperations({ ...ofFamilies, previewBytesMax: config.previewBytesMax }),
    ...parsersOperations(ofFamilies),
    ...observationsOperations(ofObservations),
    ...latestObservationsOperations(ofObservations),
    ...exportObservationsOperations(ofObservations, config),
    ...projectRunsOperations(dependencies),
    ...metadataOperations({ document: () => served.document, page: () => served.page }),
  ];
  const served = serveDocument(operations, { ...config, heldBytesMax: heldBytesMaxOf(operations, config) });
  return operations;
}
