/** The present as microseconds since 1970, to the millisecond. */
export function nowUs(): number {
  return Date.now() * 1000;
}
