import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parser } from '@prometheus-io/lezer-promql';
import { processMetrics } from '@weir/kit/metrics';
import { prometheusName } from '@weir/kit/metrics/prometheus';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { alertCases } from '../harness/alert-cases.js';
import { root } from '../harness/checkout.js';
import { declaredMetrics } from '../harness/declared-metrics.js';

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook_url: string };
}
interface Panel {
  readonly title: string;
  readonly type: string;
  readonly datasource?: { readonly uid: string };
  readonly targets?: readonly { readonly expr: string }[];
}

const monitoring = join(root, 'charts/weir/monitoring');
const rulesFile = join(monitoring, 'rules/weir.yaml');
const run = promisify(execFile);

async function readAlerts(): Promise<Alert[]> {
  const { groups } = parse(await readFile(rulesFile, 'utf8')) as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

const hasPromtool = await run('promtool', ['--version']).then(
  () => true,
  () => false,
);

/** Names of series that Prometheus has of us. */
const known = new Set(
  Object.values(declaredMetrics).flatMap((metrics) =>
    Object.values(metrics).flatMap((metric) => {
      const name = prometheusName(metric);
      return metric.kind === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
    }),
  ),
);

/** The metrics that a query asks for, and where it is no PromQL. */
function read(query: string): { readonly metrics: string[]; readonly faults: number[] } {
  const metrics: string[] = [];
  const faults: number[] = [];
  parser.parse(query).iterate({
    enter({ type, name, from, to }) {
      if (type.isError) faults.push(from);
      if (name === 'Identifier') metrics.push(query.slice(from, to));
    },
  });
  return { metrics, faults };
}

/** What other applications are judged by as well, unless it is kept to processes that have a metric of Weir's own. */
function sharedAlone(query: string): string[] {
  const found: string[] = [];
  parser.parse(query).iterate({
    enter({ name, from, to, node }) {
      if (name !== 'VectorSelector' || query.startsWith('weir_', from)) return;
      const isKept = (of: typeof node | null): boolean => {
        if (of === null || of.name === 'AggregateExpr') return false;
        const rest = query.slice(to, of.to);
        return (of.name === 'BinaryExpr' && ofWeir.test(rest)) || isKept(of.parent);
      };
      if (!isKept(node)) found.push(query.slice(from, to));
    },
  });
  return found;
}
const ofWeir = /\band on \(namespace, job, instance\) (last_over_time\()?weir_process_ready\b/;

function check(given: string): void {
  const query = given.replaceAll('$__rate_interval', '5m');
  const { metrics, faults } = read(query);
  expect(faults, query).toEqual([]);
  expect(metrics.length, query).toBeGreaterThan(0);
  expect(
    metrics.filter((name) => !known.has(name)),
    query,
  ).toEqual([]);
  expect(sharedAlone(query), query).toEqual([]);
}

test('H23: each alert asks for metrics that there are, and the runbook says what to do about it', async () => {
  const runbook = await readFile(join(root, 'docs/runbook.md'), 'utf8');
  const alerts = await readAlerts();
  for (const { alert, expr, labels, annotations } of alerts) {
    check(expr);
    expect(labels.severity).toMatch(/^(critical|warning|info)$/);
    expect(annotations.runbook_url).toBe(`docs/runbook.md#${alert.toLowerCase()}`);
    const section = new RegExp(`^## ${alert}\\n(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(runbook)?.[1] ?? '';
    for (const part of ['**Means.**', '**See.**', '**Do.**']) expect(section, alert).toContain(part);
  }
  const told = [...runbook.matchAll(/^## (Weir\w+)$/gm)].map((match) => match[1]);
  expect(told).toEqual(alerts.map(({ alert }) => alert));
});

/** Metrics that any alert asks for. */
async function judged(): Promise<Set<string>> {
  return new Set((await readAlerts()).flatMap(({ expr }) => read(expr).metrics));
}

test('H23: each state that a process is in or is not is judged by an alert', async () => {
  const states = Object.values(declaredMetrics)
    .flatMap((metrics) => Object.values(metrics))
    .filter(({ kind, unit }) => kind === 'gauge' && unit === '')
    .map(prometheusName);
  expect(states).toContain('weir_process_ready');
  const asked = await judged();
  expect(states.filter((name) => !asked.has(name))).toEqual([]);
});

/** What tells of trouble and is judged by no alert, with what is judged instead or why nothing is. */
const unjudged: Readonly<Record<string, string>> = {
  weir_gateway_connections_closed_for_room_total: 'clients that keep too many connections open connect again',
  weir_gateway_held_refused_total: 'a 503, which the budget of errors counts',
  weir_gateway_limits_decided_alone_total: 'weir_gateway_limits_degraded',
  weir_access_keys_refused_total: 'a client with a wrong key; many are weir_gateway_limits_refused_total',
  weir_access_last_use_failed_total: 'weir_process_loop_failing',
  weir_ingestion_batches_unknown_total: 'comes of a restore alone, which somebody does on purpose',
  weir_processor_messages_unreadable_total:
    'weir_ingestion_batches_swept_total: what was unreadable is published again',
  weir_processor_batches_unknown_total: 'comes of a restore alone, which somebody does on purpose',
  weir_processor_pulls_failed_total: 'weir_ingestion_backlog_oldest_age_seconds',
  weir_processor_dependencies_away_total: 'weir_process_ready, and weir_ingestion_backlog_oldest_age_seconds',
  weir_processor_calculations_invalid_total: 'an expression that somebody wrote; the API tells its author',
  weir_processor_background_failed_total: 'weir_process_loop_failing, which also tells when it is over',
};
const trouble = /fail|refused|given_up|unavailable|unreadable|unknown|invalid|swept|away|alone|degraded|for_room|full/;

test('H23: what tells of trouble is judged by an alert, or it is said why not', async () => {
  const asked = await judged();
  const telling = [...known].filter((name) => name.startsWith('weir_') && trouble.test(name));
  expect(telling.filter((name) => !asked.has(name))).toEqual(Object.keys(unjudged));
});

test('the runbook says of everything that is repeated in the background what is not done while it fails', async () => {
  const runbook = await readFile(join(root, 'docs/runbook.md'), 'utf8');
  for (const name of processMetrics.loopFailing.attributes['weir.loop'])
    expect(runbook).toMatch(new RegExp(`^\\| (.*, )?\`${name}\`(,.*)? \\|`, 'm'));
});

test('H24: each query of a dashboard can be read, asks for metrics that there are, and for no data source by name', async () => {
  const directory = join(monitoring, 'dashboards');
  for (const file of await readdir(directory)) {
    const dashboard = JSON.parse(await readFile(join(directory, file), 'utf8')) as { uid: string; panels: Panel[] };
    expect(`${dashboard.uid}.json`).toBe(file);
    for (const { title, type, datasource, targets = [] } of dashboard.panels.filter(({ type }) => type !== 'row')) {
      expect(targets.length, `${title} (${type})`).toBeGreaterThan(0);
      expect(datasource?.uid).toBe('${datasource}');
      for (const { expr } of targets) check(expr);
    }
  }
});

/** Series of a process, of which Prometheus names the instance. */
function seriesOf(instance: string, given: Readonly<Record<string, string>>): Record<string, string> {
  const named = (series: string) =>
    series.includes('{') ? series.replace('{', `{instance="${instance}",`) : `${series}{instance="${instance}"}`;
  return Object.fromEntries(Object.entries(given).map(([series, values]) => [named(series), values]));
}

const lives = { weir_process_ready: '1+0x90' };
/** The series with which an alert fires, and all with which it does not: those of another application beside Weir too. */
function casesOf({ alert, expr }: Alert) {
  const { firing = {}, quiet = [] } = alertCases[alert] ?? {};
  const isShared = read(expr).metrics.some((name) => !name.startsWith('weir_'));
  const own = isShared ? lives : {};
  const others = isShared ? [{ ...seriesOf('weir', lives), ...seriesOf('shop', firing) }] : [];
  return [
    { kind: 'firing', given: { ...own, ...firing } },
    ...[quiet].flat().map((given) => ({ kind: 'quiet', given: { ...own, ...given } })),
    ...others.map((given) => ({ kind: 'quiet', given })),
  ];
}

/** What promtool tests: each alert once with what fires it, and once with what does not. */
function promtoolTests(alerts: readonly Alert[]): string {
  const tests = alerts.flatMap((alert) =>
    casesOf(alert).map(({ kind, given }) => ({
      name: `${alert.alert} ${kind}`,
      interval: '1m',
      input_series: Object.entries(given).map(([series, values]) => ({ series, values })),
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alert.alert}", alertstate="firing"})`,
          eval_time: '90m',
          exp_samples: kind === 'firing' ? [{ labels: '{}', value: 1 }] : [],
        },
      ],
    })),
  );
  return JSON.stringify({ rule_files: [rulesFile], evaluation_interval: '5m', tests });
}

test('every alert has a case in which it fires, and one in which it does not', async () => {
  expect(Object.keys(alertCases)).toEqual((await readAlerts()).map(({ alert }) => alert));
});

test.runIf(hasPromtool)('H23: promtool finds the rules right, and they fire and rest as they should', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'weir-rules-'));
  try {
    const file = join(directory, 'tests.yaml');
    await writeFile(file, promtoolTests(await readAlerts()));
    const checked = await run('promtool', ['check', 'rules', rulesFile]);
    expect(checked.stdout).toContain('SUCCESS');
    const tested = await run('promtool', ['test', 'rules', file]).catch((error: { stderr: string }) => error);
    expect(tested.stderr.trim()).toBe('');
  } finally {
    await rm(directory, { recursive: true });
  }
});
