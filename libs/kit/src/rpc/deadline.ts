/** Milliseconds that the caller still waits; sent with every call. */
export const timeoutHeader = 'weir-timeout-ms';

/** Taken off the caller's time, so that an inner failure can still be told. */
export const deadlineMarginMs = 20;

/** Work that has less time than this is refused at once. */
export const deadlineMinMs = 5;
