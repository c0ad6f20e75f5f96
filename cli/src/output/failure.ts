import { ConfigError } from '@weir/kit/config';
import { WeirError } from '@weir/kit/errors';
import { CommanderError } from 'commander';
import { exitCodes } from '../exit-codes.js';

/** How a command failed: what to say, and what the shell learns. */
export interface Failure {
  readonly exitCode: number;
  readonly code: string;
  readonly message: string;
  readonly details: readonly { readonly path: string; readonly code: string; readonly message: string }[];
}

/** What an error means to the person; undefined for help and version, which are no failures. */
export function toFailure(error: unknown): Failure | undefined {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return undefined;
    const message = error.message.replace(/^error: /, '');
    // commander's own text for "no subcommand was given"
    const said = message === '(outputHelp)' ? 'name what to do; see the help above' : message;
    return { exitCode: exitCodes.usage, code: 'usage', message: said, details: [] };
  }
  if (error instanceof ConfigError)
    return { exitCode: exitCodes.configuration, code: 'configuration', message: error.message, details: [] };
  if (error instanceof WeirError) {
    const { code, message, details } = error;
    return { exitCode: exitCodes.failed, code, message, details };
  }
  const message = error instanceof Error ? error.message || error.name : String(error);
  return { exitCode: exitCodes.failed, code: 'internal', message, details: [] };
}

/** A failure as text for stderr. */
export function formatFailure(failure: Failure, json: boolean): string {
  const { code, message, details } = failure;
  if (json) return `${JSON.stringify({ error: { code, message, details } })}\n`;
  const more = details.filter((detail) => !message.includes(detail.message));
  return `${[`weir: ${message}`, ...more.map(({ path, message: text }) => `  ${path}: ${text}`)].join('\n')}\n`;
}
