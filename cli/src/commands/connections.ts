import { Command, Option } from 'commander';
import { actorOf, type Context } from '../context.js';
import { parseInstantOption, withJson, withList } from '../options.js';
import { columnsOf } from '../output/table.js';
import { followPages } from '../pages.js';
import { toConnection } from '../records.js';
import { accessPageMax, connectAccess } from '../services.js';
import { liveHints, printOwner, printWithPlaintext, secretColumns, toSecretLines } from './secrets.js';

interface ListOptions {
  readonly project: string;
  readonly secrets?: boolean;
  readonly limit: number;
  readonly json?: boolean;
}

interface CreateOptions {
  readonly project: string;
  readonly provisioning: string;
  readonly expiresAt?: number;
  readonly json?: boolean;
}

interface Change {
  readonly name?: string;
  readonly provisioning?: string;
  readonly enabled?: boolean;
}

type PrintedConnection = ReturnType<typeof toConnection>;

const columns = [
  ...columnsOf<PrintedConnection>('id', 'name', 'provisioning', 'enabled'),
  { heading: 'secrets', value: liveHints },
  ...columnsOf<PrintedConnection>('created_at', 'expires_at', 'last_used_at'),
];

const provisioningOption = (): Option =>
  new Option(
    '--provisioning <policy>',
    'whether instruments and variables that a point names are created when they are unknown',
  ).choices(['automatic', 'strict']);

function listCommand(context: Context, command: Command): void {
  withList(command.command('list'))
    .description('list the connections of a project in order of creation')
    .requiredOption('--project <id>', 'the project')
    .option('--secrets', 'one line a secret')
    .action(async ({ project, secrets = false, limit, json = false }: ListOptions) => {
      using access = connectAccess(context);
      const { records, hasMore } = await followPages({ limit, pageMax: accessPageMax }, async (page) => {
        const { connections, nextAfter } = await access.listConnections({ projectId: project, ...page });
        return { items: connections.map(toConnection), nextAfter };
      });
      if (secrets) context.output.list(secretColumns, toSecretLines(records), { hasMore, json });
      else context.output.list(columns, records, { hasMore, json });
    });
}

function createCommand(context: Context, command: Command): void {
  withJson(command.command('create'))
    .description('create a connection; the text of its key is shown this once')
    .argument('<name>', 'a name that no other connection of the project has')
    .requiredOption('--project <id>', 'the project that its points go to')
    .addOption(provisioningOption().default('automatic'))
    .addOption(new Option('--expires-at <instant>', 'when it ends; never unless given').argParser(parseInstantOption))
    .action(async (name: string, { project, provisioning, expiresAt, json = false }: CreateOptions) => {
      using access = connectAccess(context);
      const request = { projectId: project, name, provisioning, expiresAtUs: expiresAt, actor: actorOf(context) };
      const { connection, plaintext } = await access.createConnection(request);
      if (connection !== undefined) printWithPlaintext(context, toConnection(connection), plaintext, json);
    });
}

function changeCommands(context: Context, command: Command): void {
  const change = async (connectionId: string, named: Change, json: boolean): Promise<void> => {
    using access = connectAccess(context);
    const { connection } = await access.updateConnection({ connectionId, ...named, actor: actorOf(context) });
    if (connection !== undefined) printOwner(context, toConnection(connection), json);
  };
  withJson(command.command('update'))
    .description('change the name or the provisioning of a connection')
    .argument('<connection_id>', 'the connection')
    .option('--name <name>', 'a name that no other connection of the project has')
    .addOption(provisioningOption())
    .action(async (id: string, { json = false, ...named }: Change & { json?: boolean }, updated: Command) => {
      if (Object.keys(named).length === 0) updated.error("error: give '--name <name>' or '--provisioning <policy>'");
      await change(id, named, json);
    });
  for (const [verb, enabled, does] of [
    ['enable', true, 'take points through a connection again'],
    ['disable', false, 'refuse points through a connection (403) without ending its key'],
  ] as const) {
    withJson(command.command(verb))
      .description(does)
      .argument('<connection_id>', 'the connection')
      .action((id: string, { json = false }: { json?: boolean }) => change(id, { enabled }, json));
  }
}

function secretCommands(context: Context, command: Command): void {
  withJson(command.command('rotate'))
    .description('add a second live secret to the key of a connection; its text is shown this once')
    .argument('<connection_id>', 'the connection')
    .action(async (connectionId: string, { json = false }: { json?: boolean }) => {
      using access = connectAccess(context);
      const { connection, plaintext } = await access.rotateConnectionKey({ connectionId, actor: actorOf(context) });
      if (connection !== undefined) printWithPlaintext(context, toConnection(connection), plaintext, json);
    });
  withJson(command.command('revoke'))
    .description('revoke every secret of a connection, or one')
    .argument('<connection_id>', 'the connection')
    .option('--secret <id>', 'only this secret (see weir connections list --secrets)')
    .action(async (connectionId: string, { secret = '', json = false }: { secret?: string; json?: boolean }) => {
      using access = connectAccess(context);
      const request = { connectionId, secretId: secret, actor: actorOf(context) };
      const { connection } = await access.revokeConnectionKey(request);
      if (connection !== undefined) printOwner(context, toConnection(connection), json);
    });
}

/** `weir connections`: what ingestion keys belong to. */
export function connectionsCommand(context: Context): Command {
  const command = new Command('connections').description('ingestion connections of a project and their keys');
  listCommand(context, command);
  createCommand(context, command);
  changeCommands(context, command);
  secretCommands(context, command);
  return command;
}
