import { capture } from './capture.js';
import type { Verdict } from './verdict.js';

interface AuditReport {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
}

/** Known faults of dependencies, high and above. Not every registry answers that question. */
export async function checkAudit(): Promise<Verdict> {
  const { code, output } = await capture('npm', 'audit', '--audit-level=high', '--json');
  if (code === 0) return { status: 'passed' };
  // warnings of npm stand around the report
  const json = output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1);
  let report: AuditReport = {};
  try {
    report = JSON.parse(json) as AuditReport;
  } catch {
    return { status: 'skipped', note: 'not available from this registry' };
  }
  if (report.metadata === undefined) return { status: 'skipped', note: 'not available from this registry' };
  return { status: 'failed', output };
}
