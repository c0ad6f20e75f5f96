import { parseConfig } from '@weir/kit/config';
import { findMigrations, type MigrationResult, migrate } from '@weir/kit/migrations';
import { Command } from 'commander';
import { settings } from '../config.js';
import type { Context } from '../context.js';
import { withJson } from '../options.js';
import { columnsOf } from '../output/table.js';
import { repositoryRoot } from '../repository-root.js';

const columns = columnsOf<MigrationResult>('service', 'version', 'applied');

/** `weir migrate`: schemas of all services. */
export function migrateCommand(context: Context): Command {
  return withJson(new Command('migrate'))
    .description('bring the schemas of all services up to date; safe to run again, and twice at once')
    .action(async ({ json = false }: { json?: boolean }) => {
      const { databaseUrl } = parseConfig(settings.migrate, context.env);
      const results = await migrate(databaseUrl, await findMigrations(repositoryRoot), () =>
        context.output.note('Another migration is in progress; this one waits for its end.'),
      );
      context.output.list(columns, results, { hasMore: false, json });
    });
}
