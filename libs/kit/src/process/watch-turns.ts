// The thread that endWhenHung starts.
import { writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import type { Watched } from './end-when-hung.js';

const { turns, everyMs, looksMax } = workerData as Watched;
let seen = Atomics.load(turns, 0);
let looks = 0;

setInterval(() => {
  const now = Atomics.load(turns, 0);
  looks = now === seen ? looks + 1 : 0;
  seen = now;
  if (looks < looksMax) return;
  // the thread that writes the log is the one that hangs
  writeSync(2, `the process hangs: its event loop has not turned for ${everyMs * looksMax} ms; it is ended\n`);
  process.kill(process.pid, 'SIGKILL');
}, everyMs);
