import { allPermissions, isPermission } from '@weir/kit/permissions';
import { Command, InvalidArgumentError, Option } from 'commander';
import { actorOf, type Context } from '../context.js';
import { parseInstantOption, withJson, withList } from '../options.js';
import { columnsOf } from '../output/table.js';
import { followPages } from '../pages.js';
import { toDeveloperKey } from '../records.js';
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
  readonly permission?: readonly string[];
  readonly allPermissions?: boolean;
  readonly expiresAt?: number;
  readonly json?: boolean;
}

type PrintedKey = ReturnType<typeof toDeveloperKey>;

const columns = [
  ...columnsOf<PrintedKey>('id', 'name'),
  { heading: 'permissions', value: (key: PrintedKey) => key.permissions.length },
  { heading: 'secrets', value: liveHints },
  ...columnsOf<PrintedKey>('created_at', 'expires_at', 'last_used_at', 'revoked_at'),
];

function collectPermission(text: string, collected: readonly string[] = []): string[] {
  if (!isPermission(text)) throw new InvalidArgumentError('See weir keys create --help for those there are.');
  return [...collected, text];
}

function listCommand(context: Context, command: Command): void {
  withList(command.command('list'))
    .description('list the keys of a project in order of creation, revoked ones too')
    .requiredOption('--project <id>', 'the project')
    .option('--secrets', 'one line a secret')
    .action(async ({ project, secrets = false, limit, json = false }: ListOptions) => {
      using access = connectAccess(context);
      const { records, hasMore } = await followPages({ limit, pageMax: accessPageMax }, async (page) => {
        const { keys, nextAfter } = await access.listDeveloperKeys({ projectId: project, ...page });
        return { items: keys.map(toDeveloperKey), nextAfter };
      });
      if (secrets) context.output.list(secretColumns, toSecretLines(records), { hasMore, json });
      else context.output.list(columns, records, { hasMore, json });
    });
}

function createCommand(context: Context, command: Command): void {
  withJson(command.command('create'))
    .description('create a key; its text is shown this once')
    .argument('<name>', 'a name that no other active key of the project has')
    .requiredOption('--project <id>', 'the project that it opens')
    .addOption(
      new Option('--permission <permission>', 'what it may do; give it once for each').argParser(collectPermission),
    )
    .addOption(new Option('--all-permissions', 'it may do everything').conflicts('permission'))
    .addOption(new Option('--expires-at <instant>', 'when it ends; never unless given').argParser(parseInstantOption))
    .addHelpText('after', `\nPermissions:\n${allPermissions.map((permission) => `  ${permission}`).join('\n')}`)
    .action(async (name: string, options: CreateOptions, created: Command) => {
      const permissions = options.allPermissions === true ? allPermissions : options.permission;
      if (permissions === undefined) created.error("error: give '--permission <permission>' or '--all-permissions'");
      using access = connectAccess(context);
      const { key, plaintext } = await access.createDeveloperKey({
        projectId: options.project,
        name,
        permissions: [...permissions],
        expiresAtUs: options.expiresAt,
        actor: actorOf(context),
      });
      if (key !== undefined) printWithPlaintext(context, toDeveloperKey(key), plaintext, options.json === true);
    });
}

function secretCommands(context: Context, command: Command): void {
  withJson(command.command('rotate'))
    .description('add a second live secret to a key; its text is shown this once')
    .argument('<key_id>', 'the key')
    .action(async (keyId: string, { json = false }: { json?: boolean }) => {
      using access = connectAccess(context);
      const { key, plaintext } = await access.rotateDeveloperKey({ keyId, actor: actorOf(context) });
      if (key !== undefined) printWithPlaintext(context, toDeveloperKey(key), plaintext, json);
    });
  withJson(command.command('revoke'))
    .description('revoke a key for good, or one of its secrets')
    .argument('<key_id>', 'the key')
    .option('--secret <id>', 'only this secret (see weir keys list --secrets)')
    .action(async (keyId: string, { secret = '', json = false }: { secret?: string; json?: boolean }) => {
      using access = connectAccess(context);
      const { key } = await access.revokeDeveloperKey({ keyId, secretId: secret, actor: actorOf(context) });
      if (key !== undefined) printOwner(context, toDeveloperKey(key), json);
    });
}

/** `weir keys`: Developer API keys. */
export function keysCommand(context: Context): Command {
  const command = new Command('keys').description('Developer API keys of a project');
  listCommand(context, command);
  createCommand(context, command);
  secretCommands(context, command);
  return command;
}
