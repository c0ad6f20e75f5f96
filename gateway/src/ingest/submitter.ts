import { AsyncResource } from 'node:async_hooks';
import { errorCodes, unavailable, WeirError } from '@weir/kit/errors';
import { joinRequestIds } from '@weir/kit/log';
import { isUnanswered } from '@weir/kit/rpc';
import type { Admission, AdmitRequest, AdmitResponse, Submission } from '@weir/proto/ingestion';

/** The RPC that admits: the ingestion client's. */
export type Admit = (
  request: AdmitRequest,
  options: { readonly requestId: string },
) => Promise<Pick<AdmitResponse, 'admissions'>>;

/** Bounds of what is sent and of what waits. */
export interface SubmitterLimits {
  /** RPCs in flight at most. */
  readonly lanes: number;
  /** Beside one in flight another is sent for so many bytes, or for what has waited so long. */
  readonly furtherLane: { readonly bytes: number; readonly afterMs: number };
  /** Submissions and bytes of their bodies in one RPC; a larger body goes alone. */
  readonly batchMax: number;
  readonly batchBytesMax: number;
  /** Submissions and bytes that wait at most; one more is refused. */
  readonly waitingMax: number;
  readonly waitingBytesMax: number;
  /** What has waited for so long is refused, not sent: with the time of its call it would be answered too late. */
  readonly waitingMsMax: number;
}

/** Bounds that keep one RPC well below the message limit and a waiting queue below a second or two of work. */
export const submitterDefaults: SubmitterLimits = {
  lanes: 2,
  // a thousand points are worth an RPC of their own; those of one point share its price
  furtherLane: { bytes: 8 * 1024, afterMs: 20 },
  batchMax: 512,
  batchBytesMax: 4 * 1024 * 1024,
  waitingMax: 20_000,
  waitingBytesMax: 128 * 1024 * 1024,
  waitingMsMax: 5000,
};

/** Who waits for a submission: a signal, or what costs less and tells as much. */
interface Caller {
  readonly aborted: boolean;
}

interface Waiting {
  readonly submission: Submission;
  readonly caller: Caller;
  readonly sinceMs: number;
  /** The caller's asynchronous context, so that the RPC belongs to its trace. */
  readonly context: AsyncResource;
  readonly resolve: (admission: Admission) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends submissions to the ingestion service. Whatever waits when a lane is free goes as one RPC: a lone
 * submission goes at once, and many share the price of a hop and a commit. Small ones wait for the RPC in
 * flight, so that they are many, but not for one that takes long.
 */
export class Submitter {
  readonly #admit: Admit;
  readonly #limits: SubmitterLimits;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #lanesUsed = 0;
  #patience: NodeJS.Timeout | undefined;

  constructor(admit: Admit, limits: SubmitterLimits) {
    this.#admit = admit;
    this.#limits = limits;
  }

  /**
   * Admits one request's points.
   *
   * @param caller - a submission that still waits when it is aborted is not sent
   * @returns when the service has committed them
   * @throws WeirError `dependency_unavailable` when too much waits already or it had to wait too long, or as the service threw it
   */
  submit(submission: Submission, caller: Caller): Promise<Admission> {
    const { waitingMax, waitingBytesMax } = this.#limits;
    if (this.#waiting.length >= waitingMax || this.#waitingBytes + submission.body.length > waitingBytesMax)
      return Promise.reject(unavailable('More waits to be admitted than can be soon; send the request again.'));
    return new Promise((resolve, reject) => {
      const context = new AsyncResource('submission');
      this.#waiting.push({ submission, caller, sinceMs: performance.now(), context, resolve, reject });
      this.#waitingBytes += submission.body.length;
      this.#fillLanes();
    });
  }

  /** @param isPatient - whether what is small may wait for the RPC in flight */
  #fillLanes(isPatient = true): void {
    const { lanes, furtherLane } = this.#limits;
    while (this.#lanesUsed < lanes && this.#waiting.length > 0) {
      if (isPatient && this.#lanesUsed > 0 && this.#waitingBytes < furtherLane.bytes) {
        this.#patience ??= setTimeout(() => {
          this.#patience = undefined;
          this.#fillLanes(false);
        }, furtherLane.afterMs);
        return;
      }
      const batch = this.#take();
      const [first] = batch;
      if (first === undefined) continue;
      this.#lanesUsed++;
      void first.context
        .runInAsyncScope(() => this.#send(batch))
        .then(() => {
          this.#lanesUsed--;
          clearTimeout(this.#patience);
          this.#patience = undefined;
          this.#fillLanes();
        });
    }
  }

  /** Takes the next batch off the queue, without those whose caller has gone or that have waited too long. */
  #take(): Waiting[] {
    let taken = 0;
    let bytes = 0;
    for (const { submission } of this.#waiting) {
      if (taken === this.#limits.batchMax || (taken > 0 && bytes + submission.body.length > this.#limits.batchBytesMax))
        break;
      taken++;
      bytes += submission.body.length;
    }
    this.#waitingBytes -= bytes;
    const latestMs = performance.now() - this.#limits.waitingMsMax;
    return this.#waiting.splice(0, taken).filter(({ caller, sinceMs, reject }) => {
      const isLate = sinceMs < latestMs;
      if (caller.aborted) reject(unavailable('The request ended before its points were sent.'));
      else if (isLate) reject(unavailable('The points could not be admitted soon enough; send the request again.'));
      return !caller.aborted && !isLate;
    });
  }

  /** Settles every submission of a batch; never rejects. @param isAgain - whether they were sent before */
  async #send(batch: readonly Waiting[], isAgain = false): Promise<void> {
    const submissions = batch.map((each) => each.submission);
    try {
      const requestId = joinRequestIds(submissions.map((submission) => submission.requestId));
      const { admissions } = await this.#admit({ submissions }, { requestId });
      for (const [i, { resolve, reject }] of batch.entries()) {
        const admission = admissions[i];
        if (admission === undefined) reject(new WeirError('internal', 'The ingestion service left out an admission.'));
        else if (admission.untold !== '') reject(unavailable(admission.untold));
        else resolve(admission);
      }
    } catch (error) {
      // a refusal admitted nothing: one submission's fault must not be the others'
      if (batch.length > 1 && isRefusal(error)) for (const each of batch) await this.#send([each], isAgain);
      else if (isUnanswered(error) && !isAgain) await this.#sendAgain(batch, error);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Sends again what has a key, by which another replica finds what was admitted before an answer was lost. */
  async #sendAgain(batch: readonly Waiting[], error: unknown): Promise<void> {
    const repeated: Waiting[] = [];
    for (const each of batch) {
      const mayRepeat = each.submission.idempotencyKey !== '' && !each.caller.aborted;
      if (mayRepeat) repeated.push(each);
      else each.reject(error);
    }
    if (repeated.length > 0) await this.#send(repeated, true);
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof WeirError && errorCodes[error.code].http < 500;
}
