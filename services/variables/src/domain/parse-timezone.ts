import { isTimezone } from '@weir/kit/time';
import type { Faults } from './faults.js';

/** An IANA time zone; UTC when none is given. */
export function parseTimezone(name: string, path: string, faults: Faults): string {
  if (name === '') return 'UTC';
  if (!isTimezone(name)) {
    faults.add(path, 'invalid_timezone', 'Give the name of an IANA time zone, such as Europe/Berlin or UTC.');
  }
  return name;
}
