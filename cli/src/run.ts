import { parseConfig } from '@weir/kit/config';
import { usePeers } from '@weir/kit/rpc';
import type { Command } from 'commander';
import { settings } from './config.js';
import type { Context } from './context.js';
import { exitCodes } from './exit-codes.js';
import { formatFailure, toFailure } from './output/failure.js';
import { createOutput } from './output/output.js';
import type { TextStream } from './output/text-stream.js';
import { createProgram } from './program.js';

/** What the command line is run with. */
export interface RunOptions {
  /** What was typed after `weir`. */
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly stdout: TextStream;
  readonly stderr: TextStream;
  readonly userName: string;
  readonly version: string;
}

/** Settings of a command reach its subcommands only when they are made by it, so each is told. */
function forEachCommand(command: Command, act: (command: Command) => void): void {
  act(command);
  for (const child of command.commands) forEachCommand(child, act);
}

/** Runs the command line. Never throws: answers the exit code. */
export async function run({ args, env, stdout, stderr, userName, version }: RunOptions): Promise<number> {
  const json = args.includes('--json');
  let exitCode: number = exitCodes.ok;
  const context: Context = {
    env,
    output: createOutput(stdout, stderr),
    userName,
    setExitCode: (code) => {
      exitCode = code;
    },
  };
  const program = createProgram(context, version);
  forEachCommand(program, (command) =>
    command.exitOverride().configureOutput({
      writeOut: (text) => stdout.write(text),
      // help that nobody asked for; with --json the failure alone is told
      writeErr: (text) => (json ? undefined : stderr.write(text)),
      // wrong usage is told below, as every failure is
      outputError: () => undefined,
    }),
  );
  try {
    usePeers(parseConfig(settings.peers, env));
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    const failure = toFailure(error);
    if (failure === undefined) return exitCodes.ok;
    stderr.write(formatFailure(failure, json));
    return failure.exitCode;
  }
}
