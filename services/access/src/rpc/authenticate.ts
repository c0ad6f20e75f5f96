import { setTimeout as wait } from 'node:timers/promises';
import { WeirError } from '@weir/kit/errors';
import { isId } from '@weir/kit/ids';
import type { Logger } from '@weir/kit/log';
import type { Db } from '@weir/kit/sql';
import type {
  AuthenticateDeveloperKeyRequest,
  AuthenticateDeveloperKeyResponse,
  AuthenticateIngestionKeyRequest,
  AuthenticateIngestionKeyResponse,
  PresentedKey,
} from '@weir/proto/access';
import { type Candidate, decideAuthentication } from '../domain/authentication.js';
import { keyRefused } from '../events.js';
import type { LastUses } from '../last-use.js';
import { selectConnectionCandidate, selectDeveloperKeyCandidate } from '../store/authentication.js';
import { toConnection, toDeveloperKey } from './messages.js';

/** What authentication works with. */
export interface Authentication {
  readonly db: Db;
  readonly uses: LastUses;
  readonly log: Logger;
}

/** A refusal takes as long whatever was found, since it takes longer than looking. */
const refusalMs = 25;

async function authenticate<C extends Candidate>(
  log: Logger,
  kind: 'developer' | 'ingestion',
  key: PresentedKey | undefined,
  load: (id: string) => Promise<C | undefined>,
): Promise<C> {
  const keyId = key?.keyId ?? '';
  // it begins before anything is known, so that its end tells nothing of that
  const mayRefuse = wait(refusalMs);
  const candidate = isId(keyId) ? await load(keyId) : undefined;
  const refusal = decideAuthentication(candidate, key?.secretSha256 ?? Buffer.alloc(0));
  if (candidate !== undefined && refusal === undefined) return candidate;
  // the id of a key that does not exist is whatever the caller sent: it is kept out of the log
  keyRefused(log, kind, candidate === undefined ? '' : keyId, refusal ?? 'unknown');
  await mayRefuse;
  throw new WeirError('invalid_credential', 'The key is unknown, revoked or expired; use a valid one.');
}

/** Tells whose Developer API key this is. Its secrets are not told. */
export async function authenticateDeveloperKey(
  { db, uses, log }: Authentication,
  { key }: AuthenticateDeveloperKeyRequest,
): Promise<AuthenticateDeveloperKeyResponse> {
  const found = await authenticate(log, 'developer', key, (id) => selectDeveloperKeyCandidate.maybe(db, { id }));
  uses.developerKeyUsed(found);
  const { organizationId, projectId } = found;
  return { organizationId, projectId, key: toDeveloperKey({ ...found, secrets: [] }) };
}

/** Tells whose ingestion key this is, also when its connection is disabled. Its secrets are not told. */
export async function authenticateIngestionKey(
  { db, uses, log }: Authentication,
  { key }: AuthenticateIngestionKeyRequest,
): Promise<AuthenticateIngestionKeyResponse> {
  const found = await authenticate(log, 'ingestion', key, (id) => selectConnectionCandidate.maybe(db, { id }));
  uses.connectionUsed(found);
  return { organizationId: found.organizationId, connection: toConnection({ ...found, secrets: [] }) };
}
