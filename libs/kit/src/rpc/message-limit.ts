/** A message that has more bytes is refused; the largest legal admission, and what follows from it, stays below. */
export const messageBytesMax = 64 * 1024 * 1024;
