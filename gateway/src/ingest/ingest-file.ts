import { setImmediate as nextTurn } from 'node:timers/promises';
import { faultError, notFound, unavailable, WeirError } from '@weir/kit/errors';
import { BufferGarbage } from '@weir/kit/garbage';
import { isId, newId } from '@weir/kit/ids';
import { activeTraceparent } from '@weir/kit/telemetry';
import { LogfileRefused, openLogfile } from '@weir/logfile';
import type { ParserConfiguration } from '@weir/parser-configuration';
import type { FileSource, OpenFile, Run } from '@weir/proto/ingestion';
import type { Clients } from '../clients/clients.js';
import type { IngestionPrincipal, Upload } from '../http/operation.js';
import { FileSender, type FilesClient } from './file-sender.js';
import { openZones, unknownSite, type ZonesClient } from './file-zones.js';
import { persist } from './persist.js';

/** Reading a file leaves behind so many times its bytes in buffers. */
const leftBehind = 5;
/** So much of them may grow old: half of what V8 would wait for. */
const oldBytesMax = 32 * 1024 * 1024;

/** The services that a file needs. */
export interface FileClients {
  readonly ingestion: FilesClient;
  readonly parsers: Pick<Clients['parsers'], 'getParser'>;
  readonly variables: ZonesClient;
}

/** A request with a file. */
export interface FileRequest {
  readonly principal: IngestionPrincipal;
  readonly parserId: string;
  readonly fileName: string;
  readonly siteId: string | undefined;
  readonly idempotencyKey: string;
  readonly upload: Upload;
  readonly requestId: string;
  readonly signal: AbortSignal;
}

/** By what a file is read: as it was pinned, or as the parser says now. */
interface Plan {
  readonly parserVersion: number;
  readonly configurationJson: string;
}

async function loadParser(clients: FileClients, request: FileRequest): Promise<Plan> {
  const { principal, parserId, requestId, signal } = request;
  const asked = { projectId: principal.projectId, parserId, includeArchived: false };
  const { parser } = await clients.parsers.getParser(asked, { requestId, signal });
  if (parser === undefined) throw notFound('parser');
  return { parserVersion: parser.version, configurationJson: parser.configurationJson };
}

function toPlan({ run, configurationJson }: OpenFile): Plan {
  return { parserVersion: run?.file?.parserVersion ?? 0, configurationJson };
}

function refusal({ code, message }: LogfileRefused): WeirError {
  const path = code === 'instrument_invalid' ? 'query/file_name' : '';
  return faultError('invalid_request', { path, code, message });
}

/** Makes the run of a file, or goes on with it, and answers what sends its points. */
async function begin(
  { ingestion }: FileClients,
  { principal, siteId, upload, requestId, signal }: FileRequest,
  source: FileSource,
  { parserVersion, configurationJson }: Plan,
): Promise<FileSender> {
  const { projectId, connectionId, provisioning } = principal;
  const { bytesTotal } = upload;
  const asked = { source, runId: newId(), parserVersion, configurationJson, bytesTotal };
  const { file } = await persist(() => ingestion.beginFile(asked, { requestId, signal }), signal);
  if (file?.run?.file === undefined) throw new Error('a file was begun without a run');
  if (file.configurationJson !== configurationJson)
    throw unavailable('Another request has begun the file by another version of the parser; send it again.');
  return new FileSender(ingestion, {
    projectId,
    connectionId,
    provisioning,
    traceparent: activeTraceparent(),
    requestId,
    runId: file.run.runId,
    siteId,
    position: file.run.file.position,
    zones: file.zones,
    signal,
  });
}

/** Reads a file to its end. The run is made once the first row can be read, so that a file that cannot be leaves none. */
async function read(
  clients: FileClients,
  request: FileRequest,
  source: FileSource,
  plan: Plan,
): Promise<Run | undefined> {
  const configuration = JSON.parse(plan.configurationJson) as ParserConfiguration;
  const reader = openLogfile({ configuration, fileName: request.fileName, pauses: true });
  const zoneOf = await openZones(clients.variables, request, configuration);
  const garbage = new BufferGarbage(oldBytesMax);
  let bytes = 0;
  let sender: FileSender | undefined;
  const begun = async (): Promise<FileSender> => (sender ??= await begin(clients, request, source, plan));
  const readOn = async (): Promise<void> => {
    for (let step = reader.next(); step.kind !== 'bytes' && step.kind !== 'end'; step = reader.next()) {
      if (step.kind === 'pause') await nextTurn();
      else if (step.kind === 'batch') await (await begun()).add(step.batch, bytes);
      else {
        const { instrumentName } = step;
        const to = await begun();
        const zone = to.pinnedZone(instrumentName) ?? (await zoneOf(instrumentName));
        to.pinZone(instrumentName, zone);
        reader.giveZone(instrumentName, zone);
      }
    }
  };
  try {
    for await (const chunk of request.upload.chunks) {
      bytes += chunk.length;
      garbage.add(chunk.length * leftBehind);
      if (sender?.isFinished === true) continue;
      reader.push(chunk);
      await readOn();
      if (reader.columns.length > 0) (await begun()).tell(bytes);
    }
    if (sender?.isFinished !== true) {
      reader.end();
      await readOn();
    }
    return await (await begun()).finish(bytes);
  } catch (error) {
    if (error instanceof WeirError && error.code !== 'dependency_unavailable')
      await sender?.interrupt(bytes, error.message);
    throw error;
  }
}

/**
 * Reads a file as it arrives and admits its points. Under an Idempotency-Key that the connection has used
 * before, the file is gone on with where it stopped, or what became of it is answered.
 *
 * @throws WeirError `invalid_request` for a file that cannot be read at all, which leaves no run
 */
export async function ingestFile(clients: FileClients, request: FileRequest): Promise<Run> {
  const { principal, parserId, fileName, siteId = '', idempotencyKey, requestId, signal, upload } = request;
  const { projectId, connectionId } = principal;
  if (!isId(parserId)) throw notFound('parser');
  if (siteId !== '' && !isId(siteId)) throw unknownSite();
  const source = { projectId, connectionId, idempotencyKey, parserId, fileName, siteId };
  const found =
    idempotencyKey === '' ? undefined : (await clients.ingestion.findFile({ source }, { requestId, signal })).file;
  let run = found?.run;
  if (found?.isFinished === true) {
    await upload.skip();
  } else {
    const plan = found === undefined ? await loadParser(clients, request) : toPlan(found);
    try {
      run = await read(clients, request, source, plan);
    } catch (error) {
      throw error instanceof LogfileRefused ? refusal(error) : error;
    }
  }
  if (run === undefined) throw new Error('a file was read without a run');
  return run;
}
