import { Faults } from '@weir/kit/faults';
import { fromProjectId } from '@weir/kit/records';
import type { Pool } from '@weir/kit/sql';
import { selectInstrumentZones } from '../store/instrument-zones.js';
import type { VariablesMethods } from './methods.js';

/** Names of one request. */
const namesMax = 1000;

/** Tells whoever reads local times of instruments in which zones they are. */
export function instrumentZonesMethod(pool: Pool): Pick<VariablesMethods, 'getInstrumentZones'> {
  return {
    async getInstrumentZones({ projectId: given, instrumentNames: names }) {
      const projectId = fromProjectId(given);
      const faults = new Faults();
      if (names.length < 1 || names.length > namesMax)
        faults.add('/instrument_names', 'out_of_range', `Give 1 to ${namesMax} names.`);
      if (names.some((name) => name.includes('\0')))
        faults.add('/instrument_names', 'invalid_name', 'No name has a NUL.');
      faults.throwIfAny();
      const zones = await selectInstrumentZones.all(pool, { projectId, names });
      return { timezones: zones.map(({ timezone }) => timezone ?? '') };
    },
  };
}
