import { type ErrorDetail, WeirError } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import { countPoints } from './count-points.js';

/** Policies on instruments and variables that are not known yet. */
export type Provisioning = 'automatic' | 'strict';

/** One ingest request as the gateway submits it. */
export interface Submission {
  readonly projectId: string;
  readonly connectionId: string;
  /** Empty: the request is always new. */
  readonly idempotencyKey: string;
  readonly provisioning: string;
  /** Packed points. */
  readonly body: Buffer;
  readonly traceparent: string;
  readonly requestId: string;
}

/** A submission that can be admitted, with the number of its points. */
export interface CheckedSubmission extends Submission {
  readonly provisioning: Provisioning;
  readonly count: number;
}

const key = /^[\x21-\x7e]{0,255}$/;
const requestId = /^[A-Za-z0-9._-]{0,128}$/;
/** Longer than any traceparent of a version to come. */
const traceparent = /^[\x20-\x7e]{0,128}$/;

function isProvisioning(text: string): text is Provisioning {
  return text === 'automatic' || text === 'strict';
}

/**
 * Checks submissions, so that one transaction can take them all.
 *
 * @throws WeirError `invalid_request` with every fault
 */
export function checkSubmissions(submissions: readonly Submission[]): CheckedSubmission[] {
  const details: ErrorDetail[] = [];
  const checked = submissions.map((submission, index): CheckedSubmission => {
    const check = (isRight: boolean, member: string, message: string): void => {
      if (!isRight) details.push({ path: `/submissions/${index}/${member}`, code: 'invalid', message });
    };
    check(isId(submission.projectId), 'project_id', 'must be a UUID');
    check(isId(submission.connectionId), 'connection_id', 'must be a UUID');
    check(key.test(submission.idempotencyKey), 'idempotency_key', 'must be at most 255 visible ASCII characters');
    check(isProvisioning(submission.provisioning), 'provisioning', 'must be automatic or strict');
    check(requestId.test(submission.requestId), 'request_id', 'must be at most 128 of A-Z a-z 0-9 . _ -');
    check(traceparent.test(submission.traceparent), 'traceparent', 'must be at most 128 ASCII characters');
    const counted = countPoints(submission.body);
    check('count' in counted, 'body', 'fault' in counted ? counted.fault : '');
    return {
      ...submission,
      provisioning: submission.provisioning as Provisioning,
      count: 'count' in counted ? counted.count : 0,
    };
  });
  if (details.length > 0) throw new WeirError('invalid_request', 'The submissions cannot be admitted.', { details });
  return checked;
}
