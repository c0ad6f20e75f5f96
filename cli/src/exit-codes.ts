/** What the shell learns. */
export const exitCodes = {
  ok: 0,
  /** The operation failed, or what was asked for is not well. */
  failed: 1,
  /** The command was typed wrongly; nothing was done. */
  usage: 2,
  /** Files were sent, but not every row of every one was read. */
  incomplete: 3,
  /** A setting is missing or wrong; nothing was done. EX_CONFIG, as every process of Weir says it. */
  configuration: 78,
} as const;
