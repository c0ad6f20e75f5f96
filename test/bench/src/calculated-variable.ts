import type { Bench } from './bench.js';

/** A calculated variable over one variable of its own instrument. */
export interface CalculatedVariable {
  readonly variableId: string;
  /** The run of the recalculation that creating it has started. */
  readonly runId: string;
  /** Calculates it in another way from now on. @returns the run of the recalculation */
  recalculate(): Promise<string>;
}

/** What became of a recalculation. */
export interface RecalculationRun {
  readonly state: string;
  readonly progress: { readonly instants: { readonly done: number; readonly total: number } };
}

/** One request of the Developer API; anything but success is thrown. */
async function request<T>({ origin, projectId, developerHeaders }: Bench, method: string, path: string, json?: object) {
  const answer = await fetch(`${origin}/dev-api/v1/p/${projectId}${path}`, {
    method,
    headers: { ...developerHeaders, 'content-type': 'application/json' },
    ...(json && { body: JSON.stringify(json) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return (JSON.parse(text) as { data: T }).data;
}

/** A formula of eight operators that differs with `k`. */
const calculations = (inputVariableId: string, alias: string, k: number) => [
  {
    start_time: '2000-01-01T00:00:00Z',
    expression: `((${alias} - 0.${k}) * 1.02 + 0.5) * (${alias} + 2) / 3 - ${k} * 0.25`,
    editor_tokens: [],
    inputs: [{ kind: 'self_variable', variable_id: inputVariableId }],
  },
];

/** Creates a calculated variable that reads another one of its instrument. */
export async function createCalculated(bench: Bench, inputVariableId: string): Promise<CalculatedVariable> {
  const input = await request<{ instrument_id: string; alias: string }>(bench, 'GET', `/variables/${inputVariableId}`);
  const path = `/instruments/${input.instrument_id}/calculated-variables`;
  let k = 1;
  const of = () => calculations(inputVariableId, input.alias, k);
  type Written = { readonly resource: { readonly id: string }; readonly recalculation_batch_run_id: string };
  const created = await request<Written>(bench, 'POST', path, { name: 'calculated', calculations: of() });
  const variableId = created.resource.id;
  return {
    variableId,
    runId: created.recalculation_batch_run_id,
    async recalculate() {
      k++;
      const patch = { calculations: of() };
      return (await request<Written>(bench, 'PATCH', `${path}/${variableId}`, patch)).recalculation_batch_run_id;
    },
  };
}

/** Waits for the end of a recalculation. @throws Error when it fails */
export async function untilRecalculated(bench: Bench, runId: string): Promise<RecalculationRun> {
  for (;;) {
    const run = await request<RecalculationRun>(bench, 'GET', `/runs/${runId}`);
    if (run.state === 'succeeded') return run;
    if (run.state === 'failed') throw new Error(`the recalculation ${runId} failed: ${JSON.stringify(run)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
