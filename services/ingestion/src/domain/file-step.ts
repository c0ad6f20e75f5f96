import { type ErrorDetail, WeirError } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import { countPoints } from './count-points.js';
import type { Provisioning } from './submission.js';

/** What a request says of a step of a file. */
export interface FileStepInput {
  readonly projectId: string;
  readonly connectionId: string;
  readonly runId: string;
  readonly position: number;
  readonly bodies: readonly Buffer[];
  readonly provisioning: string;
}

/** Batches of one step at most. */
const batchesMax = 64;

/**
 * Checks a step of a file.
 *
 * @returns the number of points of each of its bodies
 * @throws WeirError `invalid_request` with every fault
 */
export function checkFileStep(step: FileStepInput): { readonly counts: number[]; readonly provisioning: Provisioning } {
  const details: ErrorDetail[] = [];
  const check = (isRight: boolean, path: string, message: string): void => {
    if (!isRight) details.push({ path, code: 'invalid', message });
  };
  check(isId(step.projectId), '/project_id', 'must be a UUID');
  check(isId(step.connectionId), '/connection_id', 'must be a UUID');
  check(isId(step.runId), '/run_id', 'must be a UUID');
  check(step.position >= 0, '/position', 'must not be negative');
  check(step.bodies.length <= batchesMax, '/bodies', `must be at most ${batchesMax}`);
  const provisioning =
    step.provisioning === 'automatic' || step.provisioning === 'strict' ? step.provisioning : undefined;
  check(provisioning !== undefined, '/provisioning', 'must be automatic or strict');
  const counts = step.bodies.map((body, index) => {
    const counted = countPoints(body);
    check('count' in counted, `/bodies/${index}`, 'fault' in counted ? counted.fault : '');
    return 'count' in counted ? counted.count : 0;
  });
  if (details.length > 0 || provisioning === undefined)
    throw new WeirError('invalid_request', 'The step of the file cannot be admitted.', { details });
  return { counts, provisioning };
}
