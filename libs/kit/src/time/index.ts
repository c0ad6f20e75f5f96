export { nowUs } from './clock.js';
export {
  daysFromCivil,
  daysInMonth,
  dayUs,
  formatInstant,
  observationInstantEndUs,
  observationInstantMinUs,
  parseInstant,
} from './instant.js';
export { instantFault } from './instant-fault.js';
export { formatInterval, type Interval, type ParsedInterval, parseInterval } from './interval.js';
export { isTimezone } from './timezone.js';
export { type Zone, zoneOf } from './zone.js';
