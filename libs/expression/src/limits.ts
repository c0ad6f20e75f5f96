/** The longest expression. */
export const expressionCharactersMax = 4096;

/** How deep parentheses, calls, signs, `not` and right sides of `^` may stand in each other. */
export const expressionDepthMax = 64;

/** The most numbers, names, operators and calls of an expression. */
export const expressionNodesMax = 1024;

/** How many faults of one expression are told: as many as an answer holds. */
export const expressionFaultsMax = 50;

/**
 * The most observations of a window. One that holds more has no value, whatever is asked of it, so that the work for
 * one instant is bounded.
 */
export const windowRowsMax = 1_048_576;
