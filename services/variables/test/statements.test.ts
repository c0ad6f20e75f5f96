import { createTestDatabase, findOtherWalks, findUnscoped, prepareStatements } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import * as aliases from '../src/store/aliases.js';
import * as audit from '../src/store/audit.js';
import * as calculationChanges from '../src/store/calculation-changes.js';
import * as calculations from '../src/store/calculations.js';
import * as catalogs from '../src/store/catalogs.js';
import * as constants from '../src/store/constants.js';
import * as dependents from '../src/store/dependents.js';
import * as groupMembers from '../src/store/group-members.js';
import * as groups from '../src/store/groups.js';
import * as instrumentPages from '../src/store/instrument-pages.js';
import * as instrumentZones from '../src/store/instrument-zones.js';
import * as instruments from '../src/store/instruments.js';
import * as names from '../src/store/names.js';
import * as readings from '../src/store/readings.js';
import * as recalculations from '../src/store/recalculations.js';
import * as references from '../src/store/references.js';
import * as schema from '../src/store/schema.js';
import { sessionSettings } from '../src/store/session-settings.js';
import * as sites from '../src/store/sites.js';
import * as variablePages from '../src/store/variable-pages.js';
import * as variables from '../src/store/variables.js';

const stores = [
  aliases,
  audit,
  calculationChanges,
  calculations,
  catalogs,
  constants,
  dependents,
  groupMembers,
  groups,
  instrumentPages,
  instrumentZones,
  instruments,
  names,
  readings,
  recalculations,
  references,
  schema,
  sites,
  variablePages,
  variables,
];

test('every statement fits the migrated schema and the rights of the role, and policies choose none of its indexes', async () => {
  await using database = await createTestDatabase('variables');
  expect(await prepareStatements(database.url, 'weir_variables_tenant')).toBeGreaterThan(20);
  expect(await findOtherWalks(database.url, ['weir_variables', 'weir_variables_tenant'], sessionSettings)).toEqual([]);
});

/** What works for all projects, by its reason. */
const ofAll: Readonly<Record<string, readonly string[]>> = {
  'an operator asks of all projects, and says so': [
    'selectAllRecalculations',
    'selectAllRecalculationsInState',
    'selectAnyRecalculation',
  ],
  'processors take over what was changed in all': [
    'deleteCalculationChanges',
    'selectCalculatedSeries',
    'selectCalculationChanges',
  ],
  'what they walk from was found in the project, and composite foreign keys keep to that what hangs on it; a condition on the project would have the planner walk all of it':
    ['selectConstantPage', 'selectInstrumentPageOfSite', 'selectVariablePageOfInstrument', 'selectVariables'],
};

test('S7: every statement names the project, but for those that work for all', async () => {
  await using database = await createTestDatabase('variables');
  expect(await findUnscoped(database.url, 'weir_variables', stores)).toEqual({
    // an operator names none, and is taken for one of all projects then
    'where given': ['selectAuditEntries'],
    never: Object.values(ofAll).flat().sort(),
  });
});
