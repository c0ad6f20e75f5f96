import type { Environment } from '../environment.js';
/** `./dev check` */
export async function check(_environment: Environment, _args: readonly string[]): Promise<number> {
  return 0;
}
