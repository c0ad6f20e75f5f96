import { Command } from 'commander';
import { actorOf, type Context } from '../context.js';
import { withJson, withList } from '../options.js';
import { columnsOf } from '../output/table.js';
import { followPages } from '../pages.js';
import { toProject } from '../records.js';
import { accessPageMax, connectAccess } from '../services.js';

interface ListOptions {
  readonly organization?: string;
  readonly limit: number;
  readonly json?: boolean;
}

const columns = columnsOf<ReturnType<typeof toProject>>('id', 'organization_id', 'name', 'created_at');

/** `weir projects`: the scope of every resource and key. */
export function projectsCommand(context: Context): Command {
  const command = new Command('projects').description('the scope of every resource and key');
  withList(command.command('list'))
    .description('list projects in order of creation')
    .option('--organization <id>', 'only those of one organization')
    .action(async ({ organization = '', limit, json = false }: ListOptions) => {
      using access = connectAccess(context);
      const { records, hasMore } = await followPages({ limit, pageMax: accessPageMax }, async (page) => {
        const { projects, nextAfter } = await access.listProjects({ organizationId: organization, ...page });
        return { items: projects.map(toProject), nextAfter };
      });
      context.output.list(columns, records, { hasMore, json });
    });
  withJson(command.command('create'))
    .description('create a project')
    .argument('<name>', 'a name that no other project of the organization has')
    .requiredOption('--organization <id>', 'the organization that it belongs to')
    .action(async (name: string, { organization, json = false }: { organization: string; json?: boolean }) => {
      using access = connectAccess(context);
      const request = { organizationId: organization, name, actor: actorOf(context) };
      const { project } = await access.createProject(request);
      if (project !== undefined) context.output.record(toProject(project), { json });
    });
  return command;
}
