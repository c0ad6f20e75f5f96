import { type FileDetails, type Run, RunState } from '@weir/proto/ingestion';
import { Command, Option } from 'commander';
import { actorOf, type Context } from '../context.js';
import { parseInstantOption, withJson, withList } from '../options.js';
import { followPages } from '../pages.js';
import { runStates, toFileRun, toRun, toRunDetail } from '../records.js';
import { connectIngestion, runsPageMax } from '../services.js';

interface ListOptions {
  readonly project?: string;
  readonly connection?: string;
  readonly kind?: string;
  readonly state?: keyof typeof runStates;
  readonly createdAfter?: number;
  readonly createdBefore?: number;
  readonly limit: number;
  readonly json?: boolean;
}

type PrintedRun = ReturnType<typeof toRun>;

const columns = [
  { heading: 'run_id', value: (run: PrintedRun) => run.run_id },
  { heading: 'state', value: (run: PrintedRun) => run.state },
  { heading: 'error', value: (run: PrintedRun) => run.error?.code },
  { heading: 'attempts', value: (run: PrintedRun) => run.attempts },
  { heading: 'kind', value: (run: PrintedRun) => run.kind },
  { heading: 'project_id', value: (run: PrintedRun) => run.project_id },
  { heading: 'connection_id', value: (run: PrintedRun) => run.connection_id },
  { heading: 'created_at', value: (run: PrintedRun) => run.created_at },
  { heading: 'finished_at', value: (run: PrintedRun) => run.finished_at },
];

function listCommand(context: Context, command: Command): void {
  withList(command.command('list'))
    .description('list runs of points and files, newest first')
    .option('--project <id>', 'only those of one project')
    .option('--connection <id>', 'only those of one connection')
    .addOption(new Option('--kind <kind>', 'only those of one kind').choices(['ingestion', 'file']))
    .addOption(new Option('--state <state>', 'only those in one state').choices(Object.keys(runStates)))
    .addOption(new Option('--created-after <instant>', 'only those at or after it').argParser(parseInstantOption))
    .addOption(new Option('--created-before <instant>', 'only those before it').argParser(parseInstantOption))
    .action(async ({ project = '', connection = '', kind = '', state, limit, json = false, ...range }: ListOptions) => {
      using ingestion = connectIngestion(context);
      const { records, hasMore } = await followPages({ limit, pageMax: runsPageMax }, async (page) => {
        const { runs, nextAfter } = await ingestion.listRuns({
          scope: { projectId: project, connectionId: connection },
          kind,
          state: state === undefined ? RunState.UNSPECIFIED : runStates[state],
          createdAfterUs: range.createdAfter,
          createdBeforeUs: range.createdBefore,
          ...page,
        });
        return { items: runs.map(toRun), nextAfter };
      });
      context.output.list(columns, records, { hasMore, json });
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

/** `weir runs`: what became of points and files. */
export function runsCommand(context: Context): Command {
  const command = new Command('runs').description('what became of points and files');
  listCommand(context, command);
  withJson(command.command('show'))
    .description('show one run: with its point and what became of each variable, or with its file and its row errors')
    .argument('<run_id>', 'the run')
    .action(async (runId: string, { json = false }: { json?: boolean }) => {
      using ingestion = connectIngestion(context);
      const { run } = await ingestion.getRun({ scope: {}, runId });
      if (run === undefined) return;
      if (run.file !== undefined) return showFile(context, run, run.file, json);
      const { variables, ...members } = toRunDetail(run);
      if (json) return context.output.record({ ...members, variables }, { json });
      const lines = variables.map(({ name, variable_id, outcome, error }) => [
        `variable ${name}`,
        [outcome, variable_id, error?.message].filter((part) => part !== null && part !== undefined).join(' '),
      ]);
      context.output.record({ ...members, error: run.error?.message, ...Object.fromEntries(lines) }, { json });
    });
  withJson(command.command('retry'))
    .description('queue runs again that failed or succeeded partially')
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
