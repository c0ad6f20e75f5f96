import { WeirError } from '@weir/kit/errors';
import { type KeyKind, parseKey } from '@weir/kit/keys';
import type { PresentedKey } from '@weir/proto/access';
import type { Clients } from '../clients/clients.js';
import type { DeveloperPrincipal, IngestionPrincipal } from '../http/operation.js';
import type { Authenticator, Caller, CredentialHeaders } from '../http/ports.js';
import { developerKeyText, ingestionKeyText, invalidCredential } from './credentials.js';
import { KeyCache } from './key-cache.js';
import { toDeveloperPrincipal, toIngestionPrincipal } from './principals.js';

/** The part of the access client that tells whose a key is. */
export type AccessClient = Pick<Clients['access'], 'authenticateDeveloperKey' | 'authenticateIngestionKey'>;

/**
 * Tells whose key a request carries: form, checksum and kind are checked here, the rest is asked of the
 * access service and remembered for less than a second.
 *
 * @param keysMax - keys of each kind that are remembered
 */
export function createAuthenticator(access: AccessClient, keysMax: number): Authenticator {
  const developers = new KeyCache<DeveloperPrincipal>(keysMax);
  const connections = new KeyCache<IngestionPrincipal>(keysMax);
  return {
    async developer(headers: CredentialHeaders, caller: Caller): Promise<DeveloperPrincipal> {
      const key = presented(developerKeyText(headers), 'developer');
      const { requestId } = caller;
      return await developers.get(key, caller, async (signal) =>
        toDeveloperPrincipal(await told(access.authenticateDeveloperKey({ key }, { requestId, signal }))),
      );
    },
    async ingestion(headers: CredentialHeaders, caller: Caller): Promise<IngestionPrincipal> {
      const key = presented(ingestionKeyText(headers), 'ingestion');
      const { requestId } = caller;
      return await connections.get(key, caller, async (signal) =>
        toIngestionPrincipal(await told(access.authenticateIngestionKey({ key }, { requestId, signal }))),
      );
    },
  };
}

/** What is asked of the access service; a text that is no key of this kind is refused without asking. */
function presented(text: string, kind: KeyKind): PresentedKey {
  const parsed = parseKey(text);
  if (parsed?.kind !== kind) throw invalidCredential();
  return { keyId: parsed.id, secretSha256: parsed.secretSha256 };
}

/** The answer, or the one sentence for every refusal. Other failures are told as they are. */
async function told<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw error instanceof WeirError && error.code === 'invalid_credential' ? invalidCredential(error) : error;
  }
}
