import type { Faults } from './faults.js';

/** Names of the IANA database begin every part with a capital: offsets such as `+01:00` are none. */
const shape = /^[A-Z][A-Za-z0-9_+-]{0,63}(\/[A-Z][A-Za-z0-9_+-]{0,63}){0,3}$/;

function isTimezone(name: string): boolean {
  if (!shape.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // the runtime ignores case and resolves links (`Europe/Kyiv`), so only a difference in case alone is told
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** An IANA time zone; UTC when none is given. */
export function parseTimezone(name: string, path: string, faults: Faults): string {
  if (name === '') return 'UTC';
  if (!isTimezone(name)) {
    faults.add(path, 'invalid_timezone', 'Give the name of an IANA time zone, such as Europe/Berlin or UTC.');
  }
  return name;
}
