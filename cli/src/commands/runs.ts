import { type RunStateWord, runStateNumbers, runStateWords } from '@weir/kit/run-states';
import { type FileDetails, type Run, RunState } from '@weir/proto/ingestion';
import { Command, Option } from 'commander';
import { actorOf, type Context } from '../context.js';
import { parseId, parseInstantOption, withJson, withList } from '../options.js';
import { columnsOf } from '../output/table.js';
import { followPages } from '../pages.js';
import { listRecalculations, readRecalculation, unlessNotFound } from '../recalculation-runs.js';
import { toFileRun, toRecalculation, toRun, toRunDetail } from '../records.js';
import { connectIngestion, connectVariables, recalculationsPageMax, runsPageMax } from '../services.js';
import { printRecalculation } from './recalculate.js';

interface ListOptions {
  readonly project?: string;
  readonly connection?: string;
  readonly kind?: 'ingestion' | 'file' | 'recalculation';
  readonly state?: RunStateWord;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly limit: number;
  readonly json?: boolean;
}

type PrintedRun = Omit<ReturnType<typeof toRun>, 'connection_id'> & { readonly connection_id: string | null };

const columns = [
  ...columnsOf<PrintedRun>('run_id', 'state'),
  { heading: 'error', value: (run: PrintedRun) => run.error?.code },
  ...columnsOf<PrintedRun>('attempts', 'kind', 'project_id', 'connection_id', 'created_at', 'finished_at'),
];

async function listPoints(context: Context, options: ListOptions) {
  const { project = '', connection = '', kind = '', state, limit, createdAfter, createdBefore } = options;
  using ingestion = connectIngestion(context);
  return await followPages({ limit, pageMax: runsPageMax }, async (page) => {
    const { runs, nextAfter } = await ingestion.listRuns({
      scope: { projectId: project, connectionId: connection },
      kind,
      state: state === undefined ? RunState.UNSPECIFIED : runStateNumbers[state],
      createdAfterUs: createdAfter,
      createdBeforeUs: createdBefore,
      ...page,
    });
    return { items: runs.map(toRun), nextAfter };
  });
}

async function listOthers(context: Context, options: ListOptions) {
  const { project = '', state = '', limit, createdAfter, createdBefore } = options;
  using variables = connectVariables(context);
  const filters = { projectId: project, state, createdAfterUs: createdAfter, createdBeforeUs: createdBefore };
  const { records, hasMore } = await listRecalculations(variables, filters, { limit, pageMax: recalculationsPageMax });
  return { records: records.map(toRecalculation), hasMore };
}

/** Both kinds of runs, newest first: each list is complete as far as it goes, and so are the first of both. */
async function listRuns(context: Context, options: ListOptions) {
  const { kind, connection, limit } = options;
  const none = { records: [], hasMore: false };
  // what no connection has sent is of none
  const ofPoints = kind === 'recalculation' ? none : listPoints(context, options);
  const others =
    (kind !== undefined && kind !== 'recalculation') || connection !== undefined ? none : listOthers(context, options);
  const lists = await Promise.all([ofPoints, others]);
  const records: PrintedRun[] = lists
    .flatMap((list): readonly PrintedRun[] => list.records)
    .sort((a, b) => (a.run_id < b.run_id ? 1 : -1));
  const hasMore = records.length > limit || lists.some((list) => list.hasMore);
  return { records: records.slice(0, limit), hasMore };
}

function listCommand(context: Context, command: Command): void {
  withList(command.command('list'))
    .description('list runs, newest first')
    .option('--project <id>', 'only those of one project', parseId)
    .option('--connection <id>', 'only those of one connection', parseId)
    .addOption(new Option('--kind <kind>', 'only those of one kind').choices(['ingestion', 'file', 'recalculation']))
    .addOption(new Option('--state <state>', 'only those in one state').choices(runStateWords))
    .addOption(new Option('--created-after <instant>', 'only those at or after it').argParser(parseInstantOption))
    .addOption(new Option('--created-before <instant>', 'only those before it').argParser(parseInstantOption))
    .action(async (options: ListOptions) => {
      const { records, hasMore } = await listRuns(context, options);
      context.output.list(columns, records, { hasMore, json: options.json ?? false });
    });
}

function showFile(context: Context, run: Run, file: FileDetails, json: boolean): void {
  const { row_errors: rowErrors, ...members } = toFileRun(run, file);
  if (json) return context.output.record({ ...members, row_errors: rowErrors }, { json });
  const lines = rowErrors.map(({ line, column, message }) => [
    `line ${line}${column === null ? '' : `, column ${column}`}`,
    message,
  ]);
  context.output.record({ ...members, error: run.error?.message, ...Object.fromEntries(lines) }, { json });
}

/** Shows the run of a point or a file; false when there is none. */
async function showIngested(context: Context, runId: string, json: boolean): Promise<boolean> {
  using ingestion = connectIngestion(context);
  const run = (await unlessNotFound(ingestion.getRun({ scope: {}, runId })))?.run;
  if (run === undefined) return false;
  if (run.file !== undefined) {
    showFile(context, run, run.file, json);
    return true;
  }
  const { variables, ...members } = toRunDetail(run);
  const lines = variables.map(({ name, variable_id, outcome, error }) => [
    `variable ${name}`,
    [outcome, variable_id, error?.message].filter((part) => part !== null && part !== undefined).join(' '),
  ]);
  context.output.record(
    json ? { ...members, variables } : { ...members, error: run.error?.message, ...Object.fromEntries(lines) },
    { json },
  );
  return true;
}

/** `weir runs`: what became of points and files, and how far recalculations are. */
export function runsCommand(context: Context): Command {
  const command = new Command('runs').description('what became of points and files, and how far recalculations are');
  listCommand(context, command);
  withJson(command.command('show'))
    .description(
      'show one run: its point and what became of each variable, its file and its row errors, or how far a recalculation is',
    )
    .argument('<run_id>', 'the run')
    .action(async (runId: string, { json = false }: { json?: boolean }) => {
      if (await showIngested(context, runId, json)) return;
      using variables = connectVariables(context);
      printRecalculation(context, await readRecalculation(variables, runId), json);
    });
  withJson(command.command('cancel'))
    .description('end a recalculation that is queued or running; what it has not computed stays as it is')
    .argument('<run_id>', 'the recalculation')
    .action(async (runId: string, { json = false }: { json?: boolean }) => {
      using variables = connectVariables(context);
      const { recalculation } = await variables.cancelRecalculation({ runId, actor: actorOf(context) });
      if (recalculation !== undefined) printRecalculation(context, recalculation, json);
    });
  withJson(command.command('retry'))
    .description('queue runs of points again that failed or succeeded partially')
    .argument('<run_id...>', 'the runs')
    .action(async (runIds: string[], { json = false }: { json?: boolean }) => {
      using ingestion = connectIngestion(context);
      const { runs } = await ingestion.retryRuns({ scope: {}, runIds, actor: actorOf(context) });
      context.output.list(
        columns,
        runs.map((run: Run) => toRun(run)),
        { hasMore: false, json },
      );
    });
  return command;
}
