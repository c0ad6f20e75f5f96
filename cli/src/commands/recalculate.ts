import { setTimeout as delay } from 'node:timers/promises';
import type { Recalculation } from '@weir/proto/variables';
import { Command, Option } from 'commander';
import { actorOf, type Context } from '../context.js';
import { exitCodes } from '../exit-codes.js';
import { parseInstantOption, withJson } from '../options.js';
import { readRecalculation } from '../recalculation-runs.js';
import { toRecalculation, toRecalculationLines } from '../records.js';
import { connectVariables, type VariablesClient } from '../services.js';

interface RecalculateOptions {
  readonly project: string;
  readonly start?: number;
  readonly end?: number;
  readonly wait?: boolean;
  readonly json?: boolean;
}

const pollMs = 250;

/** Prints a recalculation. */
export function printRecalculation(context: Context, run: Recalculation, json: boolean): void {
  context.output.record(json ? toRecalculation(run) : toRecalculationLines(run), { json });
}

/** Waits for the end of a recalculation, and shows at a terminal how far it is. */
async function waitForEnd(context: Context, variables: VariablesClient, started: Recalculation) {
  let run = started;
  const progress = context.output.progress();
  while (run.state === 'queued' || run.state === 'running') {
    const { instantsDone = 0, instantsTotal = 0 } = run.progress ?? {};
    progress.show(instantsDone, instantsTotal, `${run.state}: ${instantsDone} of ${instantsTotal} instants`);
    await delay(pollMs);
    run = await readRecalculation(variables, started.runId);
  }
  progress.clear();
  return run;
}

/** `weir recalculate`: computes a variable again, though nothing was changed. */
export function recalculateCommand(context: Context): Command {
  return withJson(new Command('recalculate'))
    .description('compute a calculated variable again in a range of time')
    .argument('<variable_id>', 'the calculated variable')
    .requiredOption('--project <id>', 'the project that it belongs to')
    .addOption(new Option('--start <instant>', 'from it on').argParser(parseInstantOption))
    .addOption(new Option('--end <instant>', 'up to it, without it').argParser(parseInstantOption))
    .option('--wait', 'until it has ended; at a terminal with its progress')
    .addHelpText(
      'after',
      '\nPrints its run. Exit code 1 when it is waited for and fails. To stop waiting does not end it: weir runs cancel does.',
    )
    .action(async (variableId: string, { project, start, end, wait = false, json = false }: RecalculateOptions) => {
      using variables = connectVariables(context);
      const { recalculation } = await variables.startRecalculation({
        projectId: project,
        variableId,
        startUs: start,
        endUs: end,
        actor: actorOf(context),
      });
      if (recalculation === undefined) return;
      const run = wait ? await waitForEnd(context, variables, recalculation) : recalculation;
      printRecalculation(context, run, json);
      if (run.state === 'failed') context.setExitCode(exitCodes.failed);
    });
}
