const separator = '--- block ---';

/** The blocks of a page that are marked as `sh`: what its reader types, in order. */
export function shellBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sh\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
}

/** One bash script of blocks, which ends at the first that fails. */
export function scriptOf(blocks: readonly string[]): string {
  return ['set -euo pipefail', ...blocks].join(`\necho; echo '${separator}'\n`);
}

/** What each block of such a script printed. */
export function outputsOf(stdout: string): string[] {
  return stdout.split(separator).slice(1);
}

/** The blocks of a page that are marked as `sql`. */
export function sqlBlocks(markdown: string): string[] {
  return [...markdown.matchAll(/^```sql\n(.*?)^```$/gms)].map((match) => match[1] ?? '');
}
