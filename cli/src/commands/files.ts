import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseConfig } from '@weir/kit/config';
import { WeirError } from '@weir/kit/errors';
import { Command } from 'commander';
import { settings } from '../config.js';
import type { Context } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { collectFiles } from '../files/collect-files.js';
import { fileKey } from '../files/file-key.js';
import { type FileOutcome, ingestFile } from '../files/ingest-files.js';
import { withJson } from '../options.js';
import { columnsOf } from '../output/table.js';

/** Row errors of one file that a person is shown. */
const shownErrors = 5;

interface IngestOptions {
  readonly parser: string;
  readonly site?: string;
  readonly keyFile?: string;
  readonly recursive?: boolean;
  readonly gzip?: boolean;
  readonly again?: boolean;
  readonly json?: boolean;
}

const columns = [
  ...columnsOf<FileOutcome>('file', 'state'),
  { heading: 'run_id', value: ({ run }: FileOutcome) => run?.run_id },
  { heading: 'rows', value: ({ run }: FileOutcome) => run?.counts.rows },
  { heading: 'points', value: ({ run }: FileOutcome) => run?.counts.points },
  { heading: 'errors', value: ({ run }: FileOutcome) => run?.counts.errors },
  { heading: 'error', value: ({ error }: FileOutcome) => error?.code },
];

/** The ingestion key: of a file, or of the environment; an argument would show in the list of processes. */
async function readKey({ env }: Context, keyFile: string | undefined): Promise<string> {
  if (keyFile === undefined) return parseConfig(settings.files, env).ingestKey;
  try {
    return (await readFile(keyFile, 'utf8')).trim();
  } catch (error) {
    throw new WeirError('not_found', `Cannot read the key: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Says to a person what is wrong with a file, and where. */
function tell({ output }: Context, { file, error, run }: FileOutcome): void {
  if (error !== null) output.note(`${file}: ${error.message}`);
  const errors = run?.row_errors ?? [];
  for (const { line, column, message } of errors.slice(0, shownErrors))
    output.note(`${file}:${line}${column === null ? '' : `:${column}`}: ${message}`);
  const more = (run?.counts.errors ?? 0) - Math.min(errors.length, shownErrors);
  if (more > 0) output.note(`${file}: ${more} more row(s) with errors; weir runs show ${run?.run_id} tells them.`);
}

async function ingest(context: Context, paths: readonly string[], options: IngestOptions): Promise<void> {
  const { parser, site, keyFile, recursive = false, gzip = false, again = false, json = false } = options;
  const { output, env } = context;
  const { url: base } = parseConfig(settings.gateway, env);
  const key = await readKey(context, keyFile);
  const files = await collectFiles(paths, recursive);
  const bytesTotal = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const progress = output.progress();
  const outcomes: FileOutcome[] = [];
  let bytesDone = 0;
  let failure: Error | undefined;
  for (const [index, file] of files.entries()) {
    const fileName = basename(file.path);
    const query = new URLSearchParams({ parser_id: parser, file_name: fileName, ...(site && { site_id: site }) });
    const show = (bytes: number): void =>
      progress.show(bytesDone + bytes, bytesTotal, `${index + 1}/${files.length} ${fileName}`);
    show(0);
    const outcome = await ingestFile(file, {
      url: new URL(`v1/ingest/files?${query}`, base.endsWith('/') ? base : `${base}/`),
      key,
      keyOf: (path) => (again ? randomUUID() : fileKey(path, [fileName, parser, site ?? ''])),
      isCompressed: gzip,
      onBytes: show,
    }).catch((error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
    progress.clear();
    // what became of those before is told all the same
    if (outcome === undefined) break;
    bytesDone += file.bytes;
    outcomes.push(outcome);
    if (!json) tell(context, outcome);
  }
  if (files.length === 0 && !json) output.note('There is no file to send: folders stand for those that are in them.');
  else if (failure === undefined || outcomes.length > 0) output.list(columns, outcomes, { hasMore: false, json });
  if (failure !== undefined) throw failure;
  const bad = outcomes.filter(({ state }) => state !== 'succeeded');
  if (!json && outcomes.length > 0)
    output.note(`${outcomes.length - bad.length} of ${outcomes.length} file(s) were read without an error.`);
  if (bad.length > 0) context.setExitCode(exitCodes.incomplete);
}

/** `weir files`: files of loggers. */
export function filesCommand(context: Context): Command {
  const command = new Command('files').description('files of loggers');
  withJson(command.command('ingest'))
    .description('send files through the gateway, one after the other; those that were sent before are not read again')
    .argument('<paths...>', 'files, and folders that stand for their files')
    .requiredOption('--parser <id>', 'the parser that reads them')
    .option('--site <id>', 'the site where their instruments stand')
    .option('--key-file <path>', 'file with the ingestion key, instead of WEIR_INGEST_KEY')
    .option('--recursive', 'the files of folders in folders too')
    .option('--gzip', 'compress on the way')
    .option('--again', 'read them again, even those that were sent before (after a change of the parser, say)')
    .addHelpText(
      'after',
      '\nSettings: WEIR_URL (the gateway), WEIR_INGEST_KEY.\n\nExit codes: 0 every row of every file was read, 3 some files could not be sent or have rows that are\nerrors, 1 none could be (a wrong key, an unknown parser), 2 typed wrongly, 78 a setting is missing or wrong.',
    )
    .action((paths: string[], options: IngestOptions) => ingest(context, paths, options));
  return command;
}
