import { WeirError } from '@weir/kit/errors';
import type { Db, Pool } from '@weir/kit/sql';
import { ProjectPlaces } from '@weir/kit/tenancy';
import { observationInstantEndUs, observationInstantMinUs } from '@weir/kit/time';
import {
  ExportFormat,
  type ExportObservationsRequest,
  type ExportObservationsResponse,
} from '@weir/proto/observations';
import { csvFrame, csvHeader, type LineFrame, ndjsonFrame, writeLines } from '../domain/export-lines.js';
import { observationsFromBytes } from '../store/binary.js';
import { selectExportAscending, selectExportDescending } from '../store/export.js';
import { asQueryLimit } from './query-limit.js';

/** Observations of one statement: some 700 kB of lines. */
const chunkRows = 8192;
/** Characters of one message. gRPC lets some thirty of them wait on the way, whatever their size. */
const pieceLength = 60_000;
const seriesMax = 1000;

interface Chunk {
  readonly frame: LineFrame;
  readonly instantsUs: Float64Array;
  readonly values: Float64Array;
}

/** The observations series by series, each statement going on where the one before ended. */
async function* readChunks(db: Db, request: ExportObservationsRequest): AsyncGenerator<Chunk, void, undefined> {
  const { projectId, series, descending, format } = request;
  const statement = descending ? selectExportDescending : selectExportAscending;
  for (const one of series) {
    const frame = format === ExportFormat.NDJSON ? ndjsonFrame(one) : csvFrame(one);
    let startUs = Math.max(request.startUs ?? observationInstantMinUs, observationInstantMinUs);
    let endUs = Math.min(request.endUs ?? observationInstantEndUs, observationInstantEndUs);
    for (;;) {
      const args = { projectId, variableKey: one.variableKey, startUs, endUs, limit: chunkRows };
      const { count, observations } = await asQueryLimit(statement.one(db, args));
      if (observations === undefined) break;
      const chunk = observationsFromBytes(observations);
      yield { frame, ...chunk };
      if (count < chunkRows) break;
      const lastUs = chunk.instantsUs[count - 1] as number;
      if (descending) endUs = lastUs;
      else startUs = lastUs + 1;
    }
  }
}

/**
 * One ahead: the database reads while lines are made and sent. A reader that stops taking stops it after
 * the one that waits.
 */
async function* ahead<T>(source: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  let next = source.next();
  try {
    for (;;) {
      const step = await next;
      if (step.done === true) return;
      next = source.next();
      // it is told when its turn comes
      next.catch(() => undefined);
      yield step.value;
    }
  } finally {
    await next.catch(() => undefined);
  }
}

const retryAfterSeconds = 5;

/**
 * Answers exports, so many at a time, on a pool of their own: they must not take the connections of reads. Half of
 * the places at most are one project's.
 */
export class Exporter {
  readonly #pool: Pool;
  readonly #max: number;
  readonly #places: ProjectPlaces;
  #active = 0;

  constructor(pool: Pool, max: number) {
    this.#pool = pool;
    this.#max = max;
    this.#places = new ProjectPlaces(Math.ceil(max / 2));
  }

  /**
   * All observations of a range as text, of one instant of the database. Nothing is read before it is taken.
   *
   * @throws WeirError `concurrency_limited` when as many exports are in progress as may be, of all or of the project
   */
  async *exportObservations(
    request: ExportObservationsRequest,
    { signal }: { readonly signal: AbortSignal },
  ): AsyncGenerator<ExportObservationsResponse, void, undefined> {
    if (request.series.length > seriesMax)
      throw new WeirError('invalid_request', `Ask for at most ${seriesMax} series at a time.`);
    const isFull = this.#active >= this.#max;
    using place = isFull ? undefined : this.#places.tryTake(request.projectId);
    if (place === undefined) {
      const whose = isFull ? 'this deployment' : 'a project';
      throw new WeirError('concurrency_limited', `As many exports are in progress as ${whose} may have at once.`, {
        retryAfterSeconds,
      });
    }
    this.#active++;
    try {
      await using snapshot = await this.#pool.openSnapshot(signal);
      const isCsv = request.format !== ExportFormat.NDJSON;
      let isFirst = true;
      for await (const { instantsUs, values, frame } of ahead(readChunks(snapshot, request))) {
        // the header comes with what proves that the database answers
        if (isFirst && isCsv) yield { text: Buffer.from(csvHeader) };
        isFirst = false;
        for (const text of writeLines(instantsUs, values, frame, pieceLength)) yield { text: Buffer.from(text) };
      }
      if (isFirst && isCsv) yield { text: Buffer.from(csvHeader) };
    } finally {
      this.#active--;
    }
  }
}
