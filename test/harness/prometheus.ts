import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePorts } from '@weir/stack';
import { parse } from 'yaml';
import { root } from './checkout.js';

/** A minute of the rules is a second here, so that a fault is seen in seconds. */
const secondsPerMinute = 60;
const evaluationS = 1;
const pollMs = 200;

/** A Prometheus that scrapes a stack, with the alerts of the chart. */
export interface Prometheus extends AsyncDisposable {
  /**
   * Waits until an alert fires, or until it no longer does: for as long as its rule looks back, is patient and lets things
   * get old, and two evaluations more, once what it tells of has come about.
   *
   * @param withinS - what it tells of comes about, or is over, within so many seconds
   */
  until(alert: string, state: 'firing' | 'resting', withinS: number): Promise<void>;
  /** How many series a query answers with. */
  count(query: string): Promise<number>;
}

/** The rules of the chart, sixty times as fast: windows, patience, and the ages that they judge. */
function hurriedRules(rules: string): string {
  return rules
    .replace(/(\[|for: )(\d+)m\b/g, '$1$2s')
    .replace(/\[(\d+)h\]/g, '[$1m]')
    .replace(
      /(oldest_age_seconds[^>\n]*> )(\d+)/g,
      (_, what: string, age: string) => what + Number(age) / secondsPerMinute,
    );
}

/** How long each rule takes at most to see that what it asks for is so, in seconds. */
function readPatience(rules: string): ReadonlyMap<string, number> {
  const { groups } = parse(rules) as { groups: { rules: { alert: string; expr: string; for: string }[] }[] };
  const seconds = ({ expr, for: patience }: { expr: string; for: string }): number => {
    const looksBack = [...expr.matchAll(/\[(\d+)([sm])\]/g)].map(([, count, unit]) =>
      unit === 'm' ? Number(count) * 60 : Number(count),
    );
    const age = Number(/oldest_age_seconds[^>\n]*> ([\d.]+)/.exec(expr)?.[1] ?? 0);
    return Math.max(0, ...looksBack) + Number.parseInt(patience, 10) + age;
  };
  return new Map(groups.flatMap((group) => group.rules.map((rule) => [rule.alert, seconds(rule)])));
}

/** Starts Debian's Prometheus, which scrapes each address every second. */
export async function startPrometheus(addresses: Readonly<Record<string, string>>): Promise<Prometheus> {
  const directory = await mkdtemp(join(tmpdir(), 'weir-prometheus-'));
  const rules = hurriedRules(await readFile(join(root, 'charts/weir/monitoring/rules/weir.yaml'), 'utf8'));
  await writeFile(join(directory, 'rules.yaml'), rules);
  const patience = readPatience(rules);
  const targets = Object.entries(addresses).map(([pod, address]) => ({
    targets: [address],
    labels: { pod, namespace: 'weir' },
  }));
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '900ms', evaluation_interval: `${evaluationS}s` },
    rule_files: ['rules.yaml'],
    scrape_configs: [{ job_name: 'weir', static_configs: targets }],
  };
  await writeFile(join(directory, 'prometheus.yml'), JSON.stringify(config));
  const [port] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const args = ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=${address}`];
  const child = spawn('prometheus', [...args, '--log.level=error'], { cwd: directory, stdio: 'inherit' });
  const exited = once(child, 'exit');
  const ask = async <T>(path: string): Promise<T | undefined> => {
    const answer = await fetch(`http://${address}${path}`).catch(() => undefined);
    return answer?.ok ? ((await answer.json()) as T) : undefined;
  };
  const firing = async (): Promise<string[]> => {
    type Alerts = { data: { alerts: { state: string; labels: { alertname: string } }[] } };
    const told = await ask<Alerts>('/api/v1/alerts');
    const all = told?.data.alerts.filter(({ state }) => state === 'firing') ?? [];
    return [...new Set(all.map(({ labels }) => labels.alertname))].sort();
  };
  return {
    async count(query) {
      const told = await ask<{ data: { result: unknown[] } }>(`/api/v1/query?${new URLSearchParams({ query })}`);
      if (told === undefined) throw new Error(`Prometheus refuses ${query}`);
      return told.data.result.length;
    },
    async until(alert, state, withinS) {
      const patienceS = (patience.get(alert) ?? 0) + 2 * evaluationS + withinS;
      const endMs = performance.now() + patienceS * 1000;
      while ((await firing()).includes(alert) !== (state === 'firing')) {
        if (performance.now() > endMs) throw new Error(`${alert} is not ${state} after ${patienceS} s`);
        await delay(pollMs);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await exited;
      await rm(directory, { recursive: true });
    },
  };
}
