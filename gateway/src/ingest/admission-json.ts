import { runIds } from '@weir/kit/ids';
import { type Admission, RunState } from '@weir/proto/ingestion';

/** The public words for the state of a run. */
export const runStates = ['queued', 'running', 'succeeded', 'partially_succeeded', 'failed'] as const;

const words: Readonly<Record<RunState, (typeof runStates)[number]>> = {
  [RunState.UNSPECIFIED]: 'queued',
  [RunState.QUEUED]: 'queued',
  [RunState.RUNNING]: 'running',
  [RunState.SUCCEEDED]: 'succeeded',
  [RunState.PARTIALLY_SUCCEEDED]: 'partially_succeeded',
  [RunState.FAILED]: 'failed',
  [RunState.UNRECOGNIZED]: 'queued',
};

/** The public word for the state of a run. */
export function toRunState(state: RunState): (typeof runStates)[number] {
  return words[state];
}

/**
 * The data of an ingest answer as JSON text. A thousand runs as objects and through JSON.stringify
 * would cost several times as much.
 */
export function admissionJson(admission: Admission): string {
  const { count, replayed, states } = admission;
  const idOf = runIds(admission.batchId);
  const runs: string[] = [];
  for (let i = 0; i < count; i++) {
    runs.push(`{"run_id":"${idOf(i)}","state":"${words[(states[i] ?? RunState.QUEUED) as RunState]}"}`);
  }
  return `{"replayed":${replayed},"runs":[${runs.join(',')}]}`;
}
