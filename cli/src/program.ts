import { Command } from 'commander';
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
import type { Context } from './context.js';

const help = `
Settings are environment variables: ACCESS_ADDRESS, VARIABLES_ADDRESS, DASHBOARDS_ADDRESS,
PARSERS_ADDRESS, INGESTION_ADDRESS, OBSERVATIONS_ADDRESS (host:port), DATABASE_URL for migrate, and WEIR_URL and WEIR_INGEST_KEY for
files. A command needs its own alone.

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
