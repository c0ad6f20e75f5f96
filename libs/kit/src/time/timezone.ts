/** Names of the IANA database begin every part with a capital: offsets such as `+01:00` are none. */
const shape = /^[A-Z][A-Za-z0-9_+-]{0,63}(\/[A-Z][A-Za-z0-9_+-]{0,63}){0,3}$/;

/** Whether a text is the name of an IANA time zone that the runtime knows, in the case of the database. */
export function isTimezone(name: string): boolean {
  if (!shape.test(name)) return false;
  try {
    const { timeZone } = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions();
    // the runtime ignores case and resolves links (`Europe/Kyiv`), so only a difference in case alone is told
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}
