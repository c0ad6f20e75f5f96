import { Faults } from '@weir/kit/faults';
import { isId } from '@weir/kit/ids';
import type { Pool } from '@weir/kit/sql';
import { acrossProjects } from '@weir/kit/tenancy';
import type { RecalculationReport } from '@weir/proto/variables';
import { updateReportedRecalculations } from '../store/recalculations.js';
import type { VariablesMethods } from './methods.js';

type Methods = Pick<VariablesMethods, 'reportRecalculations'>;

const reportsMax = 1000;
const states = ['running', 'succeeded', 'failed'] as const;

const nothingDone = { rangesTotal: 0, rangesDone: 0, rangesSkipped: 0, instantsTotal: 0, instantsDone: 0, missing: {} };

function parseReport({ projectId, runId, progress, ...report }: RecalculationReport, path: string, faults: Faults) {
  const state = states.find((known) => known === report.state);
  if (state === undefined) faults.add(`${path}/state`, 'invalid_value', `Give one of ${states.join(', ')}.`);
  if (!isId(projectId)) faults.add(`${path}/project_id`, 'invalid_id', 'Give the id of a project.');
  if (!isId(runId)) faults.add(`${path}/run_id`, 'invalid_id', 'Give the id of a run.');
  const isFailed = state === 'failed';
  if (isFailed && report.errorCode === '') faults.add(`${path}/error_code`, 'required', 'Say why it failed.');
  const errorCode = isFailed ? report.errorCode : undefined;
  return { projectId, runId, state: state ?? 'running', errorCode, ...(progress ?? nothingDone) };
}

/** The method by which processors tell how far recalculations are; of runs that there are not they may tell. */
export function reportRecalculationsMethod(pool: Pool): Methods {
  return {
    async reportRecalculations({ reports }) {
      const faults = new Faults();
      if (reports.length > reportsMax) faults.add('/reports', 'too_many', `Give at most ${reportsMax} reports.`);
      const parsed = reports.map((report, at) => parseReport(report, `/reports/${at}`, faults));
      faults.throwIfAny();
      // of several of one run the last one is the newest
      const ofRun = new Map(parsed.map((report) => [report.runId, report]));
      const newest = [...ofRun.values()];
      if (newest.length > 0) await acrossProjects(() => updateReportedRecalculations.run(pool, { reports: newest }));
      return {};
    },
  };
}
