import { WeirError } from '@weir/kit/errors';
import type { LogfileBatch, LogfileCounts } from '@weir/logfile';
import type {
  AdmitFileRequest,
  FileProgress,
  FinishFileRequest,
  IngestionServiceDefinition,
  RowError,
  Run,
} from '@weir/proto/ingestion';
import type { Clients } from '../clients/clients.js';
import { packPoints } from './pack-points.js';
import { persist } from './persist.js';

/** What one step of a file carries at most, unless one batch alone is larger. */
const stepMax = { batches: 8, bytes: 2 * 1024 * 1024 };
/** A file that is being read tells so about this often, in milliseconds. */
const tellMs = 5000;
/** Row errors that a run keeps. */
const rowErrorsMax = 100;
/** Zones that one run remembers. */
const zonesMax = 10_000;

/** The methods of the ingestion service that a file needs. */
export type FilesClient = Pick<
  Clients['ingestion'],
  Extract<
    keyof (typeof IngestionServiceDefinition)['methods'],
    'findFile' | 'beginFile' | 'admitFile' | 'finishFile' | 'getRun'
  >
>;

/** Whose file it is, and what all of its steps say. */
export interface FileContext
  extends Pick<AdmitFileRequest, 'projectId' | 'connectionId' | 'provisioning' | 'traceparent' | 'requestId'> {
  readonly runId: string;
  readonly siteId: string | undefined;
  /** How many points of the file were admitted through earlier requests. */
  readonly position: number;
  readonly signal: AbortSignal;
}

/** Points of the file from `start` on, packed. */
interface Pending {
  readonly start: number;
  readonly count: number;
  readonly body: Buffer;
}

/**
 * Sends what is read of a file to the ingestion service, step by step: while one step is admitted the
 * next one is read, and no further. Points that were admitted before are left out.
 */
export class FileSender {
  readonly #client: FilesClient;
  readonly #context: FileContext;
  /** Points that are admitted, or will be once the step in flight is. */
  #position: number;
  /** Points that were read. */
  #read = 0;
  #pending: Pending[] = [];
  #pendingBytes = 0;
  #inFlight: Promise<void> = Promise.resolve();
  #counts: LogfileCounts = { rows: 0, points: 0, errors: 0, missing: 0, skipped: 0 };
  readonly #rowErrors: RowError[] = [];
  #rowErrorsSent = 0;
  readonly #zones = new Map<string, string>();
  #zonesSent = 0;
  #isFinished = false;
  #toldMs = performance.now();

  constructor(client: FilesClient, context: FileContext) {
    this.#client = client;
    this.#context = context;
    this.#position = context.position;
  }

  /** Whether another request has brought the file to its end: there is nothing left to send. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Makes the run remember in which zone an instrument is, before any point is admitted that follows from it. */
  pinZone(instrumentName: string, zone: string): void {
    if (this.#zonesSent + this.#zones.size < zonesMax) this.#zones.set(instrumentName, zone);
  }

  /** Takes what was read next; waits while enough is on its way already. */
  async add({ points, errors, counts }: LogfileBatch, bytes: number): Promise<void> {
    this.#counts = counts;
    for (const { line, column, code, message, raw } of errors) {
      if (this.#rowErrors.length === rowErrorsMax) break;
      this.#rowErrors.push({ line, column: column ?? undefined, code, message, raw });
    }
    const start = Math.max(this.#read, this.#position);
    this.#read += points.count;
    if (start >= this.#read) return;
    const body = packPoints(points, points.count - (this.#read - start), this.#context.siteId);
    this.#pending.push({ start, count: this.#read - start, body });
    this.#pendingBytes += body.length;
    if (this.#pending.length >= stepMax.batches || this.#pendingBytes >= stepMax.bytes) await this.#flush(bytes);
  }

  /** Sends what waits, be it nothing, when nothing was sent for long: so that the run does not expire while it is read. */
  async tell(bytes: number): Promise<void> {
    if (performance.now() - this.#toldMs > tellMs) await this.#flush(bytes);
  }

  async #flush(bytes: number): Promise<void> {
    await this.#inFlight;
    this.#toldMs = performance.now();
    this.#inFlight = this.#step(bytes);
    // whoever waits for it next is told
    this.#inFlight.catch(() => undefined);
  }

  /** Sends the rest, and says that the file was read to its end. */
  async finish(bytes: number): Promise<Run | undefined> {
    await this.#flush(bytes);
    await this.#inFlight;
    while (this.#pending.length > 0 && !this.#isFinished) await this.#step(bytes);
    const { requestId, signal } = this.#context;
    return (await persist(() => this.#client.finishFile(this.#end(bytes), { requestId, signal }), signal)).run;
  }

  /** Says why the file was not read to its end, as far as it can be said. */
  async interrupt(bytes: number, interruption: string): Promise<void> {
    await this.#inFlight.catch(() => undefined);
    const end = { ...this.#end(bytes), interruption };
    await this.#client.finishFile(end, { requestId: this.#context.requestId }).catch(() => undefined);
  }

  #end(bytes: number): FinishFileRequest {
    const { projectId, connectionId, runId } = this.#context;
    return { projectId, connectionId, runId, progress: this.#progress(bytes), rowErrors: this.#rowErrors };
  }

  #progress(bytes: number): FileProgress {
    return { bytes, ...this.#counts };
  }

  /** One step, with all that waits. What another request has admitted meanwhile is left out, and the rest waits again. */
  async #step(bytes: number): Promise<void> {
    if (this.#isFinished) return;
    const { projectId, connectionId, runId, provisioning, traceparent, requestId, signal } = this.#context;
    const sent = this.#pending;
    this.#pending = [];
    this.#pendingBytes = 0;
    const zones = Object.fromEntries(this.#zones);
    this.#zonesSent += this.#zones.size;
    this.#zones.clear();
    const rowErrors = this.#rowErrors.length > this.#rowErrorsSent ? [...this.#rowErrors] : [];
    this.#rowErrorsSent = this.#rowErrors.length;
    const step = {
      projectId,
      connectionId,
      runId,
      position: this.#position,
      progress: this.#progress(bytes),
      rowErrors,
      zones,
      bodies: sent.map(({ body }) => body),
      provisioning,
      traceparent,
      requestId,
    };
    const answer = await persist(() => this.#client.admitFile(step, { requestId, signal }), signal);
    this.#isFinished = answer.isFinished;
    this.#position = answer.position;
    if (answer.admitted || answer.isFinished) return;
    for (const [name, zone] of Object.entries(zones)) this.#zones.set(name, zone);
    this.#rowErrorsSent = 0;
    const rest = sent.filter(({ start, count }) => start + count > answer.position);
    if (rest[0] !== undefined && rest[0].start !== answer.position) throw otherFile();
    this.#pending = [...rest, ...this.#pending];
    this.#pendingBytes = this.#pending.reduce((sum, { body }) => sum + body.length, 0);
  }
}

function otherFile(): WeirError {
  const message = 'The key was used for a file with other contents; send this one under a key of its own.';
  return new WeirError('invalid_request', message, {
    details: [{ path: 'header/Idempotency-Key', code: 'other_file', message }],
  });
}
