import database from 'tzdata' with { type: 'json' };

/** Names of the IANA database begin every part with a capital: offsets such as `+01:00` are none. */
const shape = /^[A-Z][A-Za-z0-9_+-]{0,63}(\/[A-Z][A-Za-z0-9_+-]{0,63}){0,3}$/;

/** All names of the database, in its case. */
const names: ReadonlySet<string> = new Set(Object.keys(database.zones));

/** Whether a text is the name of an IANA time zone that the runtime knows, in the case of the database. */
export function isTimezone(name: string): boolean {
  if (!shape.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // the runtime takes any case, and tells that of the database for zones alone: a link (`Europe/Kyiv`) is told as its zone
    return timeZone === name || names.has(name);
  } catch {
    return false;
  }
}
