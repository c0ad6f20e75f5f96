import { runIds } from '@weir/kit/ids';
import { type RunStateWord, toRunStateWord } from '@weir/kit/run-states';
import { type Admission, RunState } from '@weir/proto/ingestion';

/** The public word for the state of a run; one that is newer than this gateway is told as queued. */
export function toRunState(state: number): RunStateWord {
  return toRunStateWord(state) ?? 'queued';
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
    runs.push(`{"run_id":"${idOf(i)}","state":"${toRunState(states[i] ?? RunState.QUEUED)}"}`);
  }
  return `{"replayed":${replayed},"runs":[${runs.join(',')}]}`;
}
