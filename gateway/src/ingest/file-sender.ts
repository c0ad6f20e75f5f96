import { faultError, type WeirError } from '@weir/kit/errors';
import { rowErrorsMax } from '@weir/kit/run-codes';
import type { LogfileBatch, LogfileCounts, PointColumns } from '@weir/logfile';
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
  /** Zones of instruments that the run remembers from them. */
  readonly zones: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Points of the file from `start` on, packed in memory of their own. */
interface Pending {
  readonly start: number;
  readonly count: number;
  readonly body: Buffer<ArrayBuffer>;
}

/**
 * Sends what is read of a file to the ingestion service, step by step: whatever waits when a step was
 * admitted goes as the next one, and the file is read on meanwhile as far as there is room. Points that
 * were admitted before are left out.
 */
export class FileSender {
  readonly #client: FilesClient;
  readonly #context: FileContext;
  /** Points that are admitted. */
  #position: number;
  /** Points that were read. */
  #read = 0;
  #pending: Pending[] = [];
  #sending: Promise<void> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #bytes = 0;
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

  /** In which zone an instrument was when it was first needed. */
  pinnedZone(instrumentName: string): string | undefined {
    const { zones } = this.#context;
    return Object.hasOwn(zones, instrumentName) ? zones[instrumentName] : undefined;
  }

  /** Makes the run remember in which zone an instrument is, before any point is admitted that follows from it. */
  pinZone(instrumentName: string, zone: string): void {
    if (this.#zonesSent + this.#zones.size < zonesMax) this.#zones.set(instrumentName, zone);
  }

  /**
   * Takes what was read next, with the memory of its points; waits while there is no room for more.
   *
   * @param bytes - of the file, up to here
   * @throws whatever kept what was taken before from being admitted
   */
  async add({ points, errors, counts }: LogfileBatch, bytes: number): Promise<void> {
    this.#bytes = bytes;
    this.#counts = counts;
    for (const { line, column, code, message, raw } of errors) {
      if (this.#rowErrors.length === rowErrorsMax) break;
      this.#rowErrors.push({ line, column: column ?? undefined, code, message, raw });
    }
    const start = Math.max(this.#read, this.#position);
    this.#read += points.count;
    if (start >= this.#read) return;
    const body = packPoints(points, points.count - (this.#read - start), this.#context.siteId);
    free(points);
    this.#pending.push({ start, count: this.#read - start, body });
    this.#send();
    while (this.#sending !== undefined && this.#isFull) await this.#sending;
    this.#throwFailure();
  }

  /** Tells, when nothing was sent for long, that the file is still being read: else its run would expire. */
  tell(bytes: number): void {
    this.#throwFailure();
    if (performance.now() - this.#toldMs < tellMs) return;
    this.#bytes = bytes;
    this.#send();
  }

  /** Waits until all was admitted, and says that the file was read to its end. */
  async finish(bytes: number): Promise<Run | undefined> {
    this.#bytes = bytes;
    await this.#sending;
    this.#throwFailure();
    if (this.#read < this.#position && !this.#isFinished) throw otherFile();
    const { requestId, signal } = this.#context;
    return (await persist(() => this.#client.finishFile(this.#end(), { requestId, signal }), signal)).run;
  }

  /** Says why the file was not read to its end, as far as it can be said. */
  async interrupt(bytes: number, interruption: string): Promise<void> {
    await this.#sending;
    this.#bytes = bytes;
    const end = { ...this.#end(), interruption };
    await this.#client.finishFile(end, { requestId: this.#context.requestId }).catch(() => undefined);
  }

  get #isFull(): boolean {
    const bytes = this.#pending.reduce((sum, { body }) => sum + body.length, 0);
    return this.#pending.length >= stepMax.batches || bytes >= stepMax.bytes;
  }

  get #progress(): FileProgress {
    return { bytes: this.#bytes, ...this.#counts };
  }

  #end(): FinishFileRequest {
    const { projectId, connectionId, runId } = this.#context;
    return { projectId, connectionId, runId, progress: this.#progress, rowErrors: this.#rowErrors };
  }

  #throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #send(): void {
    if (this.#sending === undefined && this.#failure === undefined) this.#sending = this.#steps();
  }

  /** Sends what waits, and what comes to wait meanwhile, until nothing does. */
  async #steps(): Promise<void> {
    try {
      do await this.#step();
      while (this.#pending.length > 0 && !this.#isFinished);
    } catch (error) {
      this.#failure = { error };
    } finally {
      // in the turn that has seen nothing wait: what came between would be left behind
      this.#sending = undefined;
    }
  }

  /** One step, with all that waits. What another request has admitted meanwhile is left out, and the rest waits again. */
  async #step(): Promise<void> {
    const { projectId, connectionId, runId, provisioning, traceparent, requestId, signal } = this.#context;
    const sent = this.#pending;
    this.#pending = [];
    this.#toldMs = performance.now();
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
      progress: this.#progress,
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
    if (answer.admitted) for (const { body } of sent) body.buffer.transfer(0);
    if (answer.admitted || answer.isFinished) return;
    for (const [name, zone] of Object.entries(zones)) this.#zones.set(name, zone);
    this.#rowErrorsSent = 0;
    this.#pending = [...sent, ...this.#pending].filter(({ start, count }) => start + count > answer.position);
    if (this.#pending[0] !== undefined && this.#pending[0].start !== answer.position) throw otherFile();
  }
}

/** Gives the memory of packed points back. Left to the collector, columns and bodies pile up to some 50 MiB before it takes them. */
function free({ lines, atUs, instruments, valueStarts, variables, values }: PointColumns): void {
  for (const { buffer } of [lines, atUs, instruments, valueStarts, variables, values]) buffer.transfer(0);
}

function otherFile(): WeirError {
  const message = 'The key was used for a file with other contents; send this one under a key of its own.';
  return faultError('invalid_request', { path: 'header/Idempotency-Key', code: 'other_file', message });
}
