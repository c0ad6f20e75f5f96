import type { ExportedSpan } from './otlp-receiver.js';

const widths = { service: 13, name: 64, bar: 30 } as const;
const textMax = 100;

function attributeOf(span: ExportedSpan, key: string): string | undefined {
  const value = span.attributes?.find((attribute) => attribute.key === key)?.value;
  const text = value?.stringValue ?? value?.intValue;
  return text === undefined ? undefined : String(text);
}

/** Nanoseconds since 1970, which a number cannot hold to the last digit, as milliseconds since another such time. */
function msBetween(from: string, to: string): number {
  return Number(BigInt(to) - BigInt(from)) / 1e6;
}

/** What a person calls a span: the statement of SQL, the method of a call without its package. */
function labelOf(span: ExportedSpan): string {
  const statement = attributeOf(span, 'db.query.text');
  const label = statement ?? span.name.replace(/^weir\.[a-z]+\.v\d+\./, '');
  const line = label.replace(/\s+/g, ' ').trim();
  return line.length > textMax ? `${line.slice(0, textMax - 1)}…` : line;
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text.padEnd(width);
}

/**
 * Draws a trace as a tree: a line a span, with its process, its name indented below its caller's, how long it took, and
 * when, against the whole.
 */
export function drawTrace(spans: readonly ExportedSpan[]): string {
  const ordered = spans.toSorted((a, b) => (BigInt(a.startTimeUnixNano) < BigInt(b.startTimeUnixNano) ? -1 : 1));
  const ids = new Set(ordered.map(({ spanId }) => spanId));
  const [first] = ordered;
  if (first === undefined) return '';
  const startNs = first.startTimeUnixNano;
  const wholeMs = Math.max(...ordered.map((span) => msBetween(startNs, span.endTimeUnixNano)), 0.001);
  const lines: string[] = [];
  const draw = (span: ExportedSpan, depth: number): void => {
    const from = msBetween(startNs, span.startTimeUnixNano);
    const tookMs = msBetween(span.startTimeUnixNano, span.endTimeUnixNano);
    const left = Math.min(widths.bar - 1, Math.floor((from / wholeMs) * widths.bar));
    const length = Math.max(1, Math.min(widths.bar - left, Math.round((tookMs / wholeMs) * widths.bar)));
    const bar = `${' '.repeat(left)}${'▬'.repeat(length)}`.padEnd(widths.bar);
    const mark = span.status?.code === 2 ? ' ✗' : '';
    const service = cut(span.service.replace(/^weir-/, ''), widths.service);
    const name = cut(`${'  '.repeat(depth)}${labelOf(span)}`, widths.name);
    lines.push(`  ${service} ${name} ${tookMs.toFixed(1).padStart(8)} ms  ${bar}${mark}`.trimEnd());
    for (const child of ordered.filter(({ parentSpanId }) => parentSpanId === span.spanId)) draw(child, depth + 1);
  };
  for (const span of ordered) if (!ids.has(span.parentSpanId)) draw(span, 0);
  const status = attributeOf(first, 'http.response.status_code');
  const request = attributeOf(first, 'weir.request_id');
  const head = [`${first.name}${status === undefined ? '' : ` → ${status}`}`, `${wholeMs.toFixed(1)} ms in all`];
  if (request !== undefined) head.push(`request ${request}`);
  return `\n${head.join(', ')}, trace ${first.traceId}\n${lines.join('\n')}\n`;
}
