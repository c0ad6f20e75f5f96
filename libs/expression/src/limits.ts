/** The longest expression. */
export const expressionCharactersMax = 4096;

/** How deep parentheses, calls, signs, `not` and right sides of `^` may stand in each other. */
export const expressionDepthMax = 64;

/** The most numbers, names, operators and calls of an expression. */
export const expressionNodesMax = 1024;

/** How many faults of one expression are told: as many as an answer holds. */
export const expressionFaultsMax = 50;
