/** `./dev bench`: measures the ratios of the performance targets. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { tuneCollections } from '@weir/kit/garbage';
import { families } from './families.js';
import type { Family } from './ratio.js';
import { describeMachine, putInto, toMarkdown } from './report.js';
import { type Measured, runFamily } from './run-family.js';
import { wearLogIn } from './wear-log-in.js';

const usage = `Usage: ./dev bench [--quick] [--only W1,R3] [--json <file>] [--markdown <file>]

  --quick            3 rounds instead of 5
  --only <ids>       only the families that have these ratios, or these names; four are measured only so:
                     hostile and refusal times (some minutes each: S10, S13 and S2 of docs/security.md),
                     catalog (some minutes) and growth (ten minutes to half an hour, 18 GB)
  --json <file>      writes all that was measured
  --markdown <file>  writes the tables; into a page that has a place for them, only there
Exit codes: 0 all goals are met, 1 one is missed, 2 wrong usage.
`;

/** The command was called wrongly. */
class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What a family is asked for by. */
const namesOf = ({ name, ratios }: Family): string[] => [name, ...ratios.map(({ id }) => id)];

function readOptions() {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      json: { type: 'string' },
      markdown: { type: 'string' },
    },
  });
  const only = values.only?.split(',');
  const known = families.flatMap(namesOf);
  const unknown = only?.filter((id) => !known.includes(id)) ?? [];
  if (unknown.length > 0) throw new UsageError(`there is no ${unknown.join(', ')}, but ${known.join(', ')}`);
  return { ...values, only };
}

async function bench(): Promise<number> {
  const { quick, only, json, markdown } = readOptions();
  const asked = families.filter((family) =>
    only === undefined ? family.isLong !== true : namesOf(family).some((name) => only.includes(name)),
  );
  const rounds = quick ? 3 : 5;
  const isTerminal = process.stderr.isTTY;
  const measured: Record<string, Measured> = {};
  for (const family of asked) {
    const startedMs = performance.now();
    await wearLogIn();
    measured[family.name] = await runFamily(family, rounds, (text) => {
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      if (isTerminal) process.stderr.write(`\r\u001b[K${family.name}: ${text} (${seconds} s)`);
    });
    process.stderr.write(`${isTerminal ? '\r\u001b[K' : ''}${family.name}: measured\n`);
  }
  const report = { machine: describeMachine(), measuredAt: new Date().toISOString(), rounds, families: measured };
  const text = toMarkdown(report);
  process.stdout.write(text);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(report, null, 2)}\n`);
  if (markdown !== undefined)
    writeFileSync(markdown, existsSync(markdown) ? putInto(readFileSync(markdown, 'utf8'), text) : text);
  const isMissed = Object.values(measured).some(({ outcomes }) => outcomes.some(({ verdict }) => verdict === 'missed'));
  return isMissed ? 1 : 0;
}

// as in the processes of Weir
tuneCollections();
try {
  process.exitCode = await bench();
} catch (error) {
  const isUsage =
    error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS') === true;
  process.stderr.write(`bench: ${isUsage ? `${(error as Error).message}\n\n${usage}` : (error as Error).stack}\n`);
  process.exitCode = isUsage ? 2 : 1;
}
