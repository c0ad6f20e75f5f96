import { runIds } from '@weir/kit/ids';
import { type Admission, RunState } from '@weir/proto/ingestion';

/** The public word for the state of a run. */
export const runStateWords: Readonly<Record<RunState, string>> = {
  [RunState.UNSPECIFIED]: 'queued',
  [RunState.QUEUED]: 'queued',
  [RunState.SUCCEEDED]: 'succeeded',
  [RunState.PARTIALLY_SUCCEEDED]: 'partially_succeeded',
  [RunState.FAILED]: 'failed',
  [RunState.RUNNING]: 'running',
  [RunState.UNRECOGNIZED]: 'queued',
};

/**
 * The data of an ingest answer as JSON text. A thousand runs as objects and through JSON.stringify
 * would cost several times as much.
 */
export function admissionJson(admission: Admission): string {
  const { count, replayed, states } = admission;
  const idOf = runIds(admission.batchId);
  const runs: string[] = [];
  for (let i = 0; i < count; i++) {
    const state: RunState = states[i] ?? RunState.QUEUED;
    runs.push(`{"run_id":"${idOf(i)}","state":"${runStateWords[state]}"}`);
  }
  return `{"replayed":${replayed},"runs":[${runs.join(',')}]}`;
}
