import { readFileSync } from 'node:fs';

/** Clock ticks of /proc a second, on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Seconds of processor time that a process has used, of its own and of the system for it. */
export function cpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
