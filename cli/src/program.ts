import { Command, Help } from 'commander';
import { auditCommand } from './commands/audit.js';
import { connectionsCommand } from './commands/connections.js';
import { filesCommand } from './commands/files.js';
import { keysCommand } from './commands/keys.js';
import { migrateCommand } from './commands/migrate.js';
import { organizationsCommand } from './commands/organizations.js';
import { projectsCommand } from './commands/projects.js';
import { recalculateCommand } from './commands/recalculate.js';
import { runsCommand } from './commands/runs.js';
import { statusCommand } from './commands/status.js';
import { settings } from './config.js';
import type { Context } from './context.js';

/** Names of all settings, as lines of text. */
function settingNames(): string {
  const names = Object.values(settings).flatMap((group) => Object.values(group).map(({ env }) => env));
  return new Help().boxWrap(names.join(', '), 78).replaceAll(/^/gm, '  ');
}

const help = `
Settings are environment variables, and a command needs its own alone (see docs/operators/cli.md):
${settingNames()}

Exit codes: 0 done, 1 the operation failed, 2 typed wrongly, 3 some files were not read whole, 78 a setting is missing or wrong.`;

/** The whole of `weir`. Wrong usage throws; nothing here ends the process. */
export function createProgram(context: Context, version: string): Command {
  const program = new Command('weir')
    .description("the operator's command line of Weir")
    .version(version)
    .addHelpText('after', help);
  for (const command of [
    migrateCommand(context),
    organizationsCommand(context),
    projectsCommand(context),
    keysCommand(context),
    connectionsCommand(context),
    runsCommand(context),
    filesCommand(context),
    recalculateCommand(context),
    auditCommand(context),
    statusCommand(context),
  ])
    program.addCommand(command);
  return program;
}
