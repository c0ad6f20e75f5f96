import { Command } from 'commander';
import { actorOf, type Context } from '../context.js';
import { withJson, withList } from '../options.js';
import { columnsOf } from '../output/table.js';
import { followPages } from '../pages.js';
import { toOrganization } from '../records.js';
import { accessPageMax, connectAccess } from '../services.js';

interface ListOptions {
  readonly limit: number;
  readonly json?: boolean;
}

const columns = columnsOf<ReturnType<typeof toOrganization>>('id', 'name', 'created_at');

/** `weir organizations`: tenants. */
export function organizationsCommand(context: Context): Command {
  const command = new Command('organizations').description('tenants; projects belong to them');
  withList(command.command('list'))
    .description('list organizations in order of creation')
    .action(async ({ limit, json = false }: ListOptions) => {
      using access = connectAccess(context);
      const { records, hasMore } = await followPages({ limit, pageMax: accessPageMax }, async (page) => {
        const { organizations, nextAfter } = await access.listOrganizations(page);
        return { items: organizations.map(toOrganization), nextAfter };
      });
      context.output.list(columns, records, { hasMore, json });
    });
  withJson(command.command('create'))
    .description('create an organization')
    .argument('<name>', 'a name that no other organization has')
    .action(async (name: string, { json = false }: { json?: boolean }) => {
      using access = connectAccess(context);
      const { organization } = await access.createOrganization({ name, actor: actorOf(context) });
      if (organization !== undefined) context.output.record(toOrganization(organization), { json });
    });
  return command;
}
