import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver, performance } from 'node:perf_hooks';
import { createInstruments, observeGauges, processMetrics } from '../metrics/index.js';

/** An entry of type `gc`. */
interface CollectionEntry extends PerformanceEntry {
  readonly detail?: { readonly kind?: number };
}

/** Kinds of collections by the number that Node gives them. */
const collectionTypes = new Map<unknown, 'major' | 'minor' | 'incremental' | 'weakcb'>([
  [1, 'minor'],
  [2, 'minor'],
  [4, 'major'],
  [8, 'incremental'],
  [16, 'weakcb'],
]);

/** How often the event loop is asked whether it is late: at twice as often, that was half of what an idle process did. */
const askMs = 20;

/** How late the event loop was at least, in seconds: Node counts the whole time between two askings, in nanoseconds. */
const lateS = (betweenNs: number): number => Math.max(betweenNs / 1e6 - askMs, 0) / 1000;

/** Counts how this process is, until disposed. */
export function observeProcess(): Disposable {
  const { collections, cpuTime, ...gauges } = createInstruments(processMetrics);
  const { delayP99, delayMax, utilization, memory, uptime } = gauges;
  const delays = monitorEventLoopDelay({ resolution: askMs });
  delays.enable();
  let idle = performance.eventLoopUtilization();
  let cpu = { user: 0, system: 0 };
  const garbage = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as CollectionEntry[]) {
      const type = collectionTypes.get(entry.detail?.kind);
      if (type !== undefined) collections.record(entry.duration / 1000, { 'v8js.gc.type': type });
    }
  });
  garbage.observe({ entryTypes: ['gc'] });
  const observed = observeGauges([delayP99, delayMax, utilization, memory, uptime], () => {
    delayP99.set(lateS(delays.percentile(99)));
    delayMax.set(lateS(delays.max));
    delays.reset();
    const now = performance.eventLoopUtilization();
    utilization.set(performance.eventLoopUtilization(now, idle).utilization);
    idle = now;
    const used = process.cpuUsage();
    for (const mode of ['user', 'system'] as const) cpuTime.add((used[mode] - cpu[mode]) / 1e6, { 'cpu.mode': mode });
    cpu = used;
    memory.set(process.memoryUsage.rss());
    uptime.set(process.uptime());
  });
  return {
    [Symbol.dispose]() {
      observed[Symbol.dispose]();
      garbage.disconnect();
      delays.disable();
    },
  };
}
