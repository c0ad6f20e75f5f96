import { Faults } from '../faults/index.js';
import { normalizeName } from '../text/index.js';

/** Who causes a change. */
export interface Actor {
  /** user, developer_api_key or system */
  readonly type: string;
  readonly id: string;
}

const kinds: ReadonlySet<string> = new Set(['user', 'developer_api_key', 'system']);

/** Who causes a change; every change must say so. */
export function parseActor(actor: Actor | undefined, path: string, faults: Faults): Actor {
  const id = normalizeName(actor?.id ?? '');
  if (actor === undefined || !kinds.has(actor.type) || id === undefined) {
    faults.add(path, 'invalid_actor', `Say who makes the change: a type (${[...kinds].join(', ')}) and an id.`);
    return { type: '', id: '' };
  }
  return { type: actor.type, id };
}

/** Who archives or restores. @throws WeirError `invalid_request` when it is not said */
export function parseChange({ actor }: { readonly actor?: Actor | undefined }): Actor {
  const faults = new Faults();
  const parsed = parseActor(actor, '/actor', faults);
  faults.throwIfAny();
  return parsed;
}
