import { z } from 'zod';

/** The members that a patch of records may have, by name. */
export type PatchMembers = Readonly<Record<string, z.ZodType>>;

/** What a patch says: the members it gives a value, and the names of those that it sets to null. */
export interface Patch<M extends PatchMembers> {
  readonly given: { readonly [K in keyof M]?: Exclude<z.output<M[K]>, null> | undefined };
  readonly cleared: string[];
  readonly expectedRevision: number | undefined;
}

const revisionMax = 2_147_483_647;

const revision = z
  .int()
  .min(1)
  .max(revisionMax)
  .meta({ description: 'The revision that you read; when there is another by now, the answer is 409.' });

/**
 * The schema of a patch: any of the members, but one of them at least.
 *
 * @param isGuarded - whether `expected_revision` must be given
 */
export function patchSchema(members: PatchMembers, isGuarded = false): z.ZodType {
  const optional = Object.fromEntries(Object.entries(members).map(([name, member]) => [name, member.optional()]));
  const names = Object.keys(members);
  // below an allOf, since generators of types take an anyOf beside properties for another shape
  const oneAtLeast = names.map((name) => ({ required: [name] }));
  return z
    .strictObject({ ...optional, expected_revision: isGuarded ? revision : revision.optional() })
    .refine((body) => names.some((name) => body[name as keyof typeof body] !== undefined), {
      message: `Give at least one of ${names.join(', ')}.`,
      params: { code: 'empty_patch' },
      // one that has members, but wrong ones, is not empty
      when: ({ issues }) => issues.length === 0,
    })
    .meta({ allOf: [{ anyOf: oneAtLeast }] });
}

/** Reads a body that `patchSchema` accepted. */
export function readPatch<M extends PatchMembers>(body: unknown): Patch<M> {
  const { expected_revision: expectedRevision, ...members } = body as Record<string, unknown>;
  const entries = Object.entries(members);
  return {
    given: Object.fromEntries(entries.filter(([, value]) => value !== null)) as Patch<M>['given'],
    cleared: entries.filter(([, value]) => value === null).map(([name]) => name),
    expectedRevision: expectedRevision as number | undefined,
  };
}
