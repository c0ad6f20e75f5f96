import { normalizeName } from '@weir/kit/text';
import type { Faults } from './faults.js';

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
