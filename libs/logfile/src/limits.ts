/** Longest line, and longest record of several lines, in bytes (of UTF-8, for files in UTF-16). */
export const recordBytesMax = 1_048_576;
/** Most lines that a record with line breaks in quotes may have. */
export const recordLinesMax = 10;
/** Most instruments in a file: each has a place in memory. */
export const instrumentsMax = 10_000;
/** Most points, and most row errors, of a batch. */
export const batchPointsMax = 1000;
/** Longest `raw` of a row error, in characters. */
export const rawCharactersMax = 200;
