import { checkArrows } from './arrows.js';
import { checkAudit } from './audit.js';
import { capture } from './capture.js';
import { checkLicences } from './licences.js';
import { checkProtos } from './protos.js';
import { checkReferences } from './references.js';
import { byExitCode, type Verdict } from './verdict.js';

/** One step of `./dev check`. */
export interface Step {
  readonly name: string;
  readonly run: () => Promise<Verdict>;
  /** Whether it reads what the step `types` builds. */
  readonly needsBuild?: true;
}

const command =
  (name: string, ...args: readonly string[]) =>
  async (): Promise<Verdict> =>
    byExitCode(await capture(name, ...args));

/** The steps in the order they are told. */
export const steps: readonly Step[] = [
  { name: 'format', run: command('biome', 'ci', '--colors=off') },
  {
    name: 'lint',
    needsBuild: true,
    run: command('oxlint', '-c', '.oxlintrc.jsonc', '--type-aware', '--report-unused-disable-directives'),
  },
  { name: 'arrows', needsBuild: true, run: checkArrows },
  { name: 'unused', needsBuild: true, run: command('knip', '--no-progress', '--no-config-hints') },
  // npm comes with Node: a `packageManager` would only make corepack fetch another
  { name: 'versions', run: command('sherif', '--ignore-rule', 'root-package-manager-field') },
  { name: 'protos', run: checkProtos },
  { name: 'types', run: command('tsc', '-b') },
  { name: 'references', run: checkReferences },
  // what it needs takes long to load, and nothing else of ./dev needs it
  { name: 'patterns', run: async () => await (await import('./patterns.js')).checkPatterns() },
  { name: 'audit', run: checkAudit },
  { name: 'licences', run: checkLicences },
];
