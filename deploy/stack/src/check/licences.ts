import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../paths.js';
import type { Verdict } from './verdict.js';

/** Licences that ask for nothing but to be named: whoever installs Weir may do with it what its own says. */
const permissive = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'Unlicense',
]);
/** What Weir is only built and tested with may have these as well: nothing of it is passed on. */
const forTools = new Set([...permissive, 'MPL-2.0', 'PSF-2.0', 'Python-2.0']);

interface LockedPackage {
  readonly version?: string;
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

/** Whether an SPDX expression leaves a choice that is accepted. Weir's packages have no nested ones, and none is taken. */
function isAccepted(expression: string, accepted: ReadonlySet<string>): boolean {
  const flat = expression.replace(/^\((.*)\)$/, '$1');
  return flat.split(' OR ').some((choice) => choice.split(' AND ').every((licence) => accepted.has(licence)));
}

/** Every package of the lock file has a licence that is accepted where it is used. */
export function checkLicences(): Promise<Verdict> {
  const lock = JSON.parse(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  const installed = Object.entries(lock.packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && link !== true,
  );
  const refused = installed.flatMap(([path, { version, license = 'no licence', dev }]) =>
    isAccepted(license, dev === true ? forTools : permissive) ? [] : [`${path}@${version}: ${license}`],
  );
  return Promise.resolve(
    refused.length === 0
      ? { status: 'passed', note: `${installed.length} packages` }
      : { status: 'failed', output: refused.join('\n') },
  );
}
