import type { Faults } from '@weir/kit/faults';
import { isTimezone } from '@weir/kit/time';

/** The name of an IANA time zone; a fault when it is none. */
export function parseTimezone(name: string, path: string, faults: Faults): string {
  if (!isTimezone(name)) {
    faults.add(path, 'invalid_timezone', 'Give the name of an IANA time zone, such as Europe/Berlin or UTC.');
  }
  return name;
}
