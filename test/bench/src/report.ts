import { cpus, release, totalmem } from 'node:os';
import { capacityLines } from './capacity.js';
import type { Measured, Outcome, Spread } from './run-family.js';

/** What a whole run measured. */
export interface Report {
  readonly machine: string;
  readonly measuredAt: string;
  readonly rounds: number;
  readonly families: Readonly<Record<string, Measured>>;
}

/** What the numbers were measured on. */
export function describeMachine(): string {
  const [first] = cpus();
  const gigabytes = Math.round(totalmem() / 1e9);
  return `${cpus().length} × ${first?.model ?? 'unknown'}, ${gigabytes} GB, Linux ${release()}, Node ${process.version}`;
}

const number = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
const range = ({ median, min, max }: Spread): string => `${number(median)} (${number(min)}–${number(max)})`;
const bound = ({ isLowerBetter }: Outcome, value: number | undefined): string =>
  value === undefined ? '' : `${isLowerBetter ? '≤' : '≥'} ${value}`;

/** The report as Markdown: a table of ratios, what the costs come to at some rates, and what was measured. */
export function toMarkdown({ machine, measuredAt, rounds, families }: Report): string {
  const lines = [`Measured on ${measuredAt}, ${rounds} rounds, on ${machine}.`, ''];
  lines.push('| id | ratio | median (least–greatest) | goal | stretch | |', '| --- | --- | --- | --- | --- | --- |');
  for (const { outcomes } of Object.values(families)) {
    for (const outcome of outcomes) {
      const { id, what, ratio, goal, stretch, verdict } = outcome;
      const found = ratio === undefined ? '' : range(ratio);
      lines.push(`| ${id} | ${what} | ${found} | ${bound(outcome, goal)} | ${bound(outcome, stretch)} | ${verdict} |`);
    }
  }
  lines.push(...capacityLines(families));
  for (const [name, { absolute }] of Object.entries(families)) {
    lines.push('', `**${name}**`, '', '| measured | median (least–greatest) |', '| --- | --- |');
    for (const [what, spread] of Object.entries(absolute)) lines.push(`| ${what} | ${range(spread)} |`);
  }
  return `${lines.join('\n')}\n`;
}

const place = { begin: '<!-- measured: ./dev bench --markdown writes from here -->', end: '<!-- to here -->' };

/** A page with the report in its place; where it has no place for one, the report alone. */
export function putInto(page: string, report: string): string {
  const begin = page.indexOf(place.begin);
  const end = page.indexOf(place.end);
  if (begin === -1 || end < begin) return report;
  return `${page.slice(0, begin)}${place.begin}\n\n${report}\n${page.slice(end)}`;
}
