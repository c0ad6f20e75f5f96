import type { Constant } from '@weir/proto/variables';
import type { Clients } from '../clients/clients.js';
import type { Operation } from '../http/operation.js';
import {
  constantMembers,
  constantShape,
  fromConstantPatch,
  fromNewConstant,
  newConstant,
  toConstantJson,
} from '../schemas/calibration-constants.js';
import { recalculating } from '../schemas/recalculations.js';
import { present } from './record-call.js';
import { type FamilyDependencies, recordFamily } from './record-family.js';

function toJson({ constant }: { readonly constant: Constant | undefined }) {
  return toConstantJson(present(constant));
}

function toWrittenJson(answer: { readonly constant: Constant | undefined; readonly recalculationBatchRunId: string }) {
  return { resource: toJson(answer), recalculation_batch_run_id: answer.recalculationBatchRunId };
}

/** The operations on calibration constants. */
export function calibrationConstantsOperations(
  dependencies: FamilyDependencies & { readonly variables: Clients['variables'] },
): readonly Operation[] {
  const { variables } = dependencies;
  const constants = recordFamily(
    {
      name: 'calibration_constants',
      tag: 'Calibration constants',
      one: 'a calibration constant',
      many: 'calibration constants',
      collection: '/instruments/{instrument_id}/calibration-constants',
      id: 'constant_id',
      record: constantShape,
      written: recalculating(constantShape),
    },
    dependencies,
  );
  const { name, alias, unit, values } = constantShape.example;
  return [
    constants.list({ filters: {} }, async ({ key, options }, page) => {
      const found = await variables.listConstants({ ...key, ...page }, options);
      return { items: found.constants.map(toConstantJson), nextAfter: found.nextAfter };
    }),
    constants.create(
      {
        body: newConstant,
        example: { name, alias, unit, values },
        description: '`name` and `values` are required.',
      },
      async ({ key, actor, options }, constant) =>
        toWrittenJson(await variables.createConstant({ ...key, ...fromNewConstant(constant), actor }, options)),
    ),
    constants.read(async ({ key, options }, includeArchived) =>
      toJson(await variables.getConstant({ ...key, includeArchived }, options)),
    ),
    constants.update(
      {
        members: constantMembers,
        example: { expected_revision: 1, values: values.slice(0, 1) },
        description: 'A change recalculates what reads the constant. An alias that an expression uses is not changed.',
        errors: ['dependency_conflict'],
      },
      async ({ key, actor, options }, patch) => {
        const request = { ...key, expectedRevision: patch.expectedRevision, patch: fromConstantPatch(patch), actor };
        return toWrittenJson(await variables.updateConstant(request, options));
      },
    ),
    constants.archive(
      async ({ key, actor, options }) => toJson(await variables.archiveConstant({ ...key, actor }, options)),
      { description: 'A constant that an active calculation reads is not archived.', errors: ['dependency_conflict'] },
    ),
    constants.restore(async ({ key, actor, options }) =>
      toWrittenJson(await variables.restoreConstant({ ...key, actor }, options)),
    ),
  ];
}
