import type { Context } from '../context.js';
import { columnsOf } from '../output/table.js';
import type { toSecret } from '../records.js';

type PrintedSecret = ReturnType<typeof toSecret>;

/** Ends of the live secrets of a key, to recognize them by. */
export function liveHints({ secrets }: { readonly secrets: readonly PrintedSecret[] }): string[] {
  return secrets.filter((secret) => secret.revoked_at === null).map((secret) => `…${secret.hint}`);
}

/** Columns of a list with one line a secret. */
export const secretColumns = columnsOf<SecretLine>(
  'owner_id',
  'owner_name',
  'secret_id',
  'hint',
  'created_at',
  'revoked_at',
);

interface SecretLine {
  readonly owner_id: string;
  readonly owner_name: string;
  readonly secret_id: string;
  readonly hint: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

/** One line a secret of what owns them. */
export function toSecretLines(
  owners: readonly { readonly id: string; readonly name: string; readonly secrets: readonly PrintedSecret[] }[],
): SecretLine[] {
  return owners.flatMap((owner) =>
    owner.secrets.map(({ id, ...secret }) => ({
      owner_id: owner.id,
      owner_name: owner.name,
      secret_id: id,
      ...secret,
    })),
  );
}

type Owner = Readonly<Record<string, unknown>> & { readonly secrets: readonly PrintedSecret[] };

/** Prints what owns secrets: all of it as JSON; else of its secrets those that are live, by id and end, and further members. */
export function printOwner(
  { output }: Context,
  owner: Owner,
  json: boolean,
  further: Record<string, unknown> = {},
): void {
  const { secrets, ...members } = owner;
  const live = secrets.filter((secret) => secret.revoked_at === null).map((secret) => `${secret.id} …${secret.hint}`);
  output.record(json ? owner : { ...members, live_secrets: live, ...further }, { json });
}

/** Prints what owns secrets with the text of its key, which is shown this once. */
export function printWithPlaintext(context: Context, owner: Owner, plaintext: string, json: boolean): void {
  printOwner(context, json ? { ...owner, plaintext } : owner, json, { key: plaintext });
  context.output.note('Keep the key in a safe place now: it is not shown again.');
}
