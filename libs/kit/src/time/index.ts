export { nowUs } from './clock.js';
export {
  daysFromCivil,
  formatInstant,
  observationInstantEndUs,
  observationInstantMinUs,
  parseInstant,
} from './instant.js';
export { isTimezone } from './timezone.js';
