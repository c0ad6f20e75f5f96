/** One value of one device at one instant. */
export interface Reading {
  readonly atUs: number;
  readonly value: number;
}

/** What was answered to one try of a request; `status` is 0 when nothing was. */
export interface Answer {
  readonly sentMs: number;
  readonly endedMs: number;
  readonly status: number;
  /** Run ids in the order of the points, of a 200. */
  readonly runs?: readonly string[];
  /** States of these runs, as they were then. */
  readonly states?: readonly string[];
  readonly replayed?: boolean;
  /** Seconds that it says to wait. */
  readonly retryAfterS?: number;
  /** Why nothing was answered: the connection ended before the head of an answer, within the answer, or nothing came in time. */
  readonly failure?: 'reset' | 'broken' | 'silent';
}

/** A request by its Idempotency-Key, with all tries of it. */
export interface Sent {
  readonly key: string;
  /** The instrument that all of its points are of; a device sends one request after the other. */
  readonly device: string;
  readonly readings: readonly Reading[];
  readonly answers: Answer[];
}

/** The state of a run as somebody saw it, who asked and was answered then. */
export interface Sighting {
  readonly runId: string;
  readonly sentMs: number;
  readonly endedMs: number;
  readonly state: string;
  readonly code?: string;
}

/** What was asked of the measured series of a device, and how it was answered; `status` is 0 when it was not. */
interface Asked extends Pick<Answer, 'sentMs' | 'endedMs' | 'status' | 'retryAfterS' | 'failure'> {
  readonly device: string;
  /** The half-open range. */
  readonly fromUs: number;
  readonly toUs: number;
  /** Code of an error. */
  readonly code?: string;
  /** Whether a 200 says that there is a next page. */
  readonly goesOn?: boolean;
}

/** A read of observations; without columns a 200 was not what it should be. */
export interface RowsRead extends Asked {
  readonly what: 'page' | 'export';
  readonly columns?: { readonly atUs: readonly number[]; readonly values: readonly number[] };
}

/** A read of buckets, all of which are whole; without columns a 200 was not what it should be. */
export interface BucketsRead extends Asked {
  readonly what: 'buckets';
  readonly lengthUs: number;
  readonly columns?: {
    readonly atUs: readonly number[];
    readonly count: readonly number[];
    readonly min: readonly number[];
    readonly max: readonly number[];
  };
}

export type SeriesRead = RowsRead | BucketsRead;

/** All that clients did and saw; each device, and each reader, in the order of time. */
export interface History {
  readonly sent: Sent[];
  readonly sightings: Sighting[];
  readonly reads: SeriesRead[];
}

/** A series as it is stored, in ascending time. */
export type Stored = readonly (readonly [atUs: number, value: number])[];

/** A batch as the database has it. */
export interface StoredBatch {
  /** Public id, which all of its runs share but for their last ten bits. */
  readonly batchId: string;
  /** The order of admissions. */
  readonly number: number;
  readonly key: string | undefined;
  readonly runCount: number;
  readonly isFinished: boolean;
}

/** How many runs were admitted, became final, and did so as failed. */
export interface RunCounts {
  readonly admitted: number;
  readonly completed: number;
  readonly failed: number;
}

/** What became more during a load: as one process counted it, and as it is stored. */
export interface CountedRuns {
  readonly counted: RunCounts;
  readonly stored: RunCounts;
  /** The process missed nothing: it had an answer to every statement. */
  readonly isExact: boolean;
}

/** What the database and the public API say at the end, when nothing is said to be left to do. */
export interface Facts {
  readonly batches: readonly StoredBatch[];
  /** Runs that do not stand as their batch does. */
  readonly deviations: ReadonlyMap<string, { readonly state: string; readonly code: string | undefined }>;
  /** Rows of the queue. */
  readonly queued: number;
  /** Messages in the stream. */
  readonly messages: number;
  /** By device: what it measured, and what is calculated from that. */
  readonly measured: ReadonlyMap<string, Stored>;
  readonly calculated: ReadonlyMap<string, Stored>;
  /** Rows of observations by device that were counted apart from those read. */
  readonly rows: ReadonlyMap<string, number>;
  /** Undefined where not one process counted from the beginning to the end. */
  readonly runs: CountedRuns | undefined;
}

export const finalStates: ReadonlySet<string> = new Set(['succeeded', 'partially_succeeded', 'failed']);
