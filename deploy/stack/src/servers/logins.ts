import { createHash } from 'node:crypto';
import pg from 'pg';

/**
 * The role that each process runs its statements as, and the only one that its login is a member of. A test compares
 * it with what the processes declare.
 */
export const databaseRoles = {
  access: 'weir_access_tenant',
  variables: 'weir_variables_tenant',
  dashboards: 'weir_dashboards_tenant',
  parsers: 'weir_parsers_tenant',
  ingestion: 'weir_ingestion_tenant',
  observations: 'weir_observations_query_tenant',
  processor: 'weir_observations_tenant',
} as const;

/** A process that uses PostgreSQL. */
export type DatabaseProcess = keyof typeof databaseRoles;

/** URL of the database for each process. */
export type DatabaseUrls = Readonly<Record<DatabaseProcess, string>>;

/** Roles belong to the server, and outlive databases: they may be there, and stacks that begin at the same time make the same ones. */
const isThere = new Set(['42710', '23505']);

async function createRole(client: pg.Client, text: string): Promise<void> {
  await client.query(`create role ${text}`).catch((error: { code?: string }) => {
    if (!isThere.has(error.code ?? '')) throw error;
  });
}

/** The same for all who know the given one. Where none is asked for, the login has none. */
function passwordOf(login: string, given: string): string {
  return given === '' ? '' : createHash('sha256').update(`${login} ${given}`).digest('hex');
}

/**
 * Makes a login for each process on the server of a database, with the role that it is a member of, unless they are
 * there: what docs/operators/install.md has an operator do.
 *
 * @param adminUrl - the database, by a login that may create roles
 */
export async function makeLogins(adminUrl: string): Promise<DatabaseUrls> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const urls: [string, string][] = [];
    for (const [name, role] of Object.entries(databaseRoles)) {
      const login = `weir_${name}_login`;
      const url = new URL(adminUrl);
      const password = passwordOf(login, url.password);
      await createRole(client, `${role} nologin`);
      const asked = password === '' ? '' : `password ${pg.escapeLiteral(password)}`;
      await createRole(client, `${login} login ${asked} in role ${role}`);
      url.username = login;
      url.password = password;
      urls.push([name, url.href]);
    }
    return Object.fromEntries(urls) as unknown as DatabaseUrls;
  } finally {
    await client.end();
  }
}
