import { Faults } from '@weir/kit/faults';
import { type Given, ifGiven, toChange } from '@weir/kit/patches';
import { type Actor, parseActor, parseFreeText, parseName } from '@weir/kit/records';
import type { CatalogRecord } from './record.js';

/** What a client says of a group. */
export interface GroupFields {
  readonly name: string;
  readonly description: string;
}

/** Instruments that are looked at together. */
export interface Group extends GroupFields, CatalogRecord {}

/** An instrument of a group. */
export interface GroupMember {
  readonly groupId: string;
  readonly instrumentId: string;
  /** Rises in the order in which members are added. */
  readonly memberKey: number;
  /** Microseconds since 1970. */
  readonly addedAtUs: number;
}

/** Checks a new group. @throws WeirError `invalid_request` with every fault */
export function parseNewGroup(input: GroupFields & { readonly actor?: Actor | undefined }): GroupFields & {
  readonly actor: Actor;
} {
  const faults = new Faults();
  const group = {
    name: parseName(input.name, '/name', faults),
    description: parseFreeText(input.description, '/description', faults),
    actor: parseActor(input.actor, '/actor', faults),
  };
  faults.throwIfAny();
  return group;
}

/** Checks a patch of a group. @throws WeirError `invalid_request` with every fault */
export function parseGroupPatch(patch: Given<GroupFields> | undefined): Partial<GroupFields> {
  const faults = new Faults();
  const given = {
    name: ifGiven(patch?.name, (name) => parseName(name, '/name', faults)),
    description: parseFreeText(patch?.description, '/description', faults),
  };
  faults.throwIfAny();
  return toChange<GroupFields>(given, []);
}

/**
 * The key of the member that a page begins after; 0 for the first page.
 *
 * @throws WeirError `invalid_request` when the text is none that a page ended with
 */
export function parseMemberKey(after: string): number {
  const faults = new Faults();
  if (!/^[0-9]{0,15}$/.test(after)) faults.add('/after', 'invalid_value', 'Give what the page before ended with.');
  faults.throwIfAny();
  return Number(after);
}
