/** The most calculations of a variable. */
export const calculationsMax = 1000;

/** The most tokens of the client's own rendering of a calculation. */
export const editorTokensMax = 1000;

/** The most inputs of a calculation. */
export const inputsMax = 100;

/**
 * The most different constants that the calculations of a variable read together: it is computed from a
 * definition that has the values of its constants with it.
 */
export const constantsMax = 100;

/** The longest window that an input is read in, in seconds. */
export const bufferSecondsMax = 366 * 86_400;
