import { type Started, startLoop } from '@weir/kit/lifecycle';
import type { Logger } from '@weir/kit/log';
import type { Db } from '@weir/kit/sql';
import { acrossProjects } from '@weir/kit/tenancy';
import { lastUseNotStored } from './events.js';
import { updateConnectionsLastUsed } from './store/connections.js';
import { updateDeveloperKeysLastUsed } from './store/developer-keys.js';

/** How old a stored use must be to be replaced: so coarse is `last_used_at`. */
const coarsenessUs = 60_000_000;
const flushIntervalMs = 5000;

/** A key as it is stored now. */
interface UsedKey {
  readonly id: string;
  readonly lastUsedAtUs?: number | undefined;
  readonly nowUs: number;
}

/** Remembers uses of keys and stores them behind the answers, many at a time. */
export interface LastUses extends Started {
  developerKeyUsed(key: UsedKey): void;
  connectionUsed(connection: UsedKey): void;
}

/** Starts the loop that stores uses; disposing stores what is left. */
export function startLastUses(db: Db, log: Logger): LastUses {
  const kinds = [
    { waiting: new Map<string, number>(), store: updateDeveloperKeysLastUsed },
    { waiting: new Map<string, number>(), store: updateConnectionsLastUsed },
  ] as const;
  const note = (waiting: Map<string, number>, { id, lastUsedAtUs, nowUs }: UsedKey): void => {
    if (lastUsedAtUs === undefined || nowUs - lastUsedAtUs >= coarsenessUs) waiting.set(id, nowUs);
  };
  const flush = async (): Promise<void> => {
    for (const { waiting, store } of kinds) {
      const uses = [...waiting];
      if (uses.length === 0) continue;
      await acrossProjects(() => store.run(db, uses));
      for (const [id, atUs] of uses) if (waiting.get(id) === atUs) waiting.delete(id);
    }
  };
  const onError = (error: unknown): void => lastUseNotStored(log, error);
  const loop = startLoop({ name: 'last_uses', intervalMs: flushIntervalMs, work: flush, onError });
  return {
    developerKeyUsed: (key) => note(kinds[0].waiting, key),
    connectionUsed: (connection) => note(kinds[1].waiting, connection),
    async [Symbol.asyncDispose]() {
      await loop[Symbol.asyncDispose]();
      await flush().catch(onError);
    },
  };
}
