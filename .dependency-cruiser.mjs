import { readdirSync } from 'node:fs';

/**
 * Which arrow may be drawn. Packages of this repository resolve to their `dist`, so a door of the kit is
 * `libs/kit/dist/<door>/`.
 */
const kit = (...doors) => `^libs/kit/(src|dist)/(${doors.join('|')})/`;
const pureKit = kit(
  'errors',
  'faults',
  'ids',
  'keys',
  'pages',
  'patches',
  'permissions',
  'records',
  'revisions',
  'run-codes',
  'text',
  'time',
);
const pureLibs = '^libs/(dashboard-shapes|expression|logfile|parser-configuration|points|variable-shapes)/';
/** Of the files of operations, those that declare none: families use them. */
const sharedByFamilies = [
  'aggregated-observations',
  'change-marks',
  'dashboard-references',
  'merged-runs',
  'name-conflicts',
  'observations-page',
  'record-call',
  'record-family',
  'run-queries',
];
const families = readdirSync(new URL('gateway/src/operations', import.meta.url))
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => !sharedByFamilies.includes(name))
  .join('|');
const isTest = '\\.test\\.ts$';
const npm = (...names) => `node_modules/(${names.join('|')})/`;

const forbidden = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    forbidden('no-cycles', 'Two files that need each other are one thing, or hide a third.', {}, { circular: true }),
    forbidden('resolvable', 'An import that cannot be found cannot be judged.', {}, { couldNotResolve: true }),
    forbidden(
      'no-vague-names',
      'A file is named for what it exports.',
      {},
      {
        path: '(^|/)(utils?|helpers?|common|misc|types|manager)\\.ts$',
        pathNot: '(^proto/src/gen/|node_modules/|\\.d\\.ts$)',
      },
    ),
    forbidden(
      'packages-by-name',
      'Another package is entered by its doors, never by a path.',
      { path: '^((?:libs|services|deploy)/[^/]+|gateway|cli|proto)/' },
      { path: '^(libs|services|deploy|gateway|cli|proto)/', pathNot: ['^$1/', '/dist/'] },
    ),
    forbidden(
      'pure-domain',
      'Rules know nothing of SQL, wires, processes and clocks.',
      { path: '^(services/[^/]+)/src/domain/', pathNot: isTest },
      { pathNot: ['^$1/src/domain/', pureKit, pureLibs, npm('canonicalize', 'zod'), '^(node:)?crypto$'] },
    ),
    forbidden(
      'pure-libs',
      'The packed form of points, shapes, expressions and files are pure.',
      { path: pureLibs, pathNot: [isTest, '^libs/[^/]+/test/'] },
      { pathNot: [pureLibs, pureKit, npm('re2js', 'zod')] },
    ),
    forbidden(
      'store-is-sql',
      'A store knows the domain and SQL.',
      { path: '^(services/[^/]+)/src/store/', pathNot: isTest },
      {
        pathNot: [
          '^$1/src/(domain|store)/',
          pureKit,
          pureLibs,
          kit('audit', 'sql', 'telemetry'),
          npm('zod', 'pg-copy-streams'),
        ],
      },
    ),
    forbidden(
      'handlers',
      'Handlers see domain, store, contracts, kit and events of their own service.',
      { path: '^(services/[^/]+)/src/(compute|rpc|stream)/', pathNot: isTest },
      {
        pathNot: [
          '^$1/src/(domain|store|compute|rpc|stream)/',
          '^$1/src/(?!service|main)[a-z-]+\\.ts$',
          '^proto/dist/',
          '^libs/',
          npm('@nats-io/[^/]+'),
          '^(node:)?(async_hooks|crypto|timers)',
        ],
      },
    ),
    forbidden(
      'sql-only-in-store',
      'Statements stand in store/.',
      { path: '^services/[^/]+/src/(?!store/)', pathNot: isTest },
      { path: [npm('pg', 'pg-copy-streams')] },
    ),
    forbidden(
      'nats-only-in-stream',
      'JetStream is spoken in stream/ alone; service.ts opens and closes the connection.',
      { path: '^services/[^/]+/src/', pathNot: ['^services/[^/]+/src/(stream/|[a-z-]+\\.ts$)', isTest] },
      { path: 'node_modules/@nats-io/' },
    ),
    forbidden(
      'grpc-only-in-kit',
      'G6: deadlines, errors and traces of calls are made in one place; a default import of grpc would lose traces.',
      { path: '^(services|gateway|cli|deploy|libs)/', pathNot: '^libs/kit/src/rpc/' },
      { path: ['node_modules/(@grpc/|nice-grpc)'] },
    ),
    forbidden(
      'main-is-a-wrapper',
      'main.ts reads the environment, starts and stops.',
      { path: '^((?:services/[^/]+|gateway)/src/)main[a-z-]*\\.ts$' },
      { pathNot: ['^$1[a-z-]+\\.ts$', kit('process')] },
    ),
    forbidden(
      'services-apart',
      'Services meet over gRPC.',
      { path: '^services/([^/]+)/' },
      { path: '^(services/(?!$1/)|gateway/|cli/|deploy/)' },
    ),
    forbidden(
      'libs-below',
      'Libraries know no service, and contracts only where the kit codes them.',
      { path: '^libs/', pathNot: [isTest, '^libs/kit/src/(rpc|run-states|testing)/', '^libs/kit/test/'] },
      { path: '^(services|gateway|cli|deploy|test|proto)/' },
    ),
    forbidden(
      'operations-are-declarations',
      'A declaration and its translation: no web framework, no Redis.',
      { path: '^gateway/src/operations/', pathNot: isTest },
      {
        pathNot: [
          '^gateway/src/(operations|http|clients|cursors|ingest|auth|limits|schemas|openapi)/',
          '^gateway/src/config\\.ts$',
          '^proto/dist/',
          '^libs/',
          npm('zod', 'content-type'),
          '^(node:)?(crypto|http)$',
        ],
      },
    ),
    forbidden(
      'families-apart',
      'What two families share has a file of its own.',
      { path: '^gateway/src/operations/', pathNot: isTest },
      { path: `^gateway/src/operations/(${families})\\.ts$` },
    ),
    forbidden(
      'express-only-in-http',
      'Only the machine knows the web framework.',
      { path: '^gateway/src/', pathNot: ['^gateway/src/http/', isTest] },
      { path: [npm('express', '@types/express')] },
    ),
    forbidden(
      'redis-only-in-limits',
      'Redis holds limits; the gateway opens and closes the connection.',
      { path: '^gateway/src/', pathNot: ['^gateway/src/(limits/|gateway\\.ts$)', isTest] },
      { path: [npm('ioredis')] },
    ),
    forbidden(
      'outside-in',
      'The stack and tests across processes use public doors.',
      { path: '^(deploy|test)/' },
      { path: '/(src|dist)/(domain|store)/' },
    ),
  ],
  options: {
    doNotFollow: { path: '(node_modules|/dist/)' },
    exclude: { path: '^(node_modules|proto/src/gen|[^ ]*/dist)/[^ ]*\\.map$' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'types'] },
  },
};
