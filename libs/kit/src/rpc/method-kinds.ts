interface Method {
  readonly options?: { readonly idempotencyLevel?: unknown };
}

/** Whether a method may be called again, as its proto says. */
export function isIdempotent(method: Method): boolean {
  return method.options?.idempotencyLevel !== undefined;
}

/**
 * Whether a method changes nothing, as its proto says, so that it ends with its call. A stream gives the signal to what it
 * reads itself. What is idempotent goes on without its caller: the call may come again, and then find it done.
 */
export function isRead(method: Method): boolean {
  return method.options?.idempotencyLevel === 'NO_SIDE_EFFECTS';
}
