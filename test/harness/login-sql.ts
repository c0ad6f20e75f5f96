import { openPool, type Transaction } from '@weir/kit/sql';

const prefix = 'weir_';

const memberships = `
  select login.rolname::text as login,
    array(
      select role.rolname::text from pg_roles as role
      where role.oid <> login.oid and pg_has_role(login.oid, role.oid, 'member') order by 1
    ) as roles
  from pg_roles as login
  where login.rolcanlogin and login.rolname like $1`;

/**
 * Runs SQL that makes roles under names of its own, and takes everything back.
 *
 * @returns the roles that each login is a member of, by the names that the SQL has
 */
export async function loginsOf(adminUrl: string, text: string): Promise<Record<string, string[]>> {
  const own = `tried_${process.pid}_`;
  const named = (name: string): string => name.replace(own, prefix);
  const undo = new Error('undo');
  let logins: Record<string, string[]> = {};
  await using pool = openPool({ url: adminUrl, max: 1 });
  const work = async (tx: Transaction): Promise<void> => {
    // a database is made by no transaction
    const renamed = text.replace(/^create database .*$/gm, '').replaceAll(prefix, own);
    // several statements in one text go alone, and a transaction begins with its first
    await tx.query({ text: 'select 1', values: [] });
    await tx.query({ text: renamed, values: [] });
    const { rows } = await tx.query({ text: memberships, values: [`${own}%`] });
    logins = Object.fromEntries(rows.map(({ login, roles }) => [named(String(login)), (roles as string[]).map(named)]));
    throw undo;
  };
  await pool.transaction(work).catch((error: unknown) => {
    if (error !== undo) throw error;
  });
  return logins;
}
