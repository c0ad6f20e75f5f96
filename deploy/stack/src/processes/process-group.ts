import { describeExit, type Exit, type ProcessSpec, type RunningProcess, runProcess, tailOf } from './run-process.js';

/** Called when a process of a group ends that nobody asked to. */
export type OnUnexpectedExit = (group: ProcessGroup, name: string) => void;

/** Processes that are started and stopped together. */
export interface ProcessGroup extends AsyncDisposable {
  /** All of the group as they run now, in the order they were added. */
  readonly processes: readonly RunningProcess[];
  /** Starts processes at once and adds them; when one fails, the others are stopped. */
  addAll(specs: readonly ProcessSpec[]): Promise<void>;
  /** The present process of a name. */
  process(name: string): RunningProcess;
  /** Sends a signal and waits until the process has ended. */
  kill(name: string, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a process again once the present one has ended: as it was started before, unless told otherwise. */
  restart(name: string, spec?: ProcessSpec): Promise<RunningProcess>;
}

interface Member {
  spec: ProcessSpec;
  running: RunningProcess;
  /** Whether somebody asked it to end. */
  isAsked: boolean;
}

/**
 * An empty group. Disposing stops its processes, the last one added first, and fails when one of
 * them had ended by itself or could not stop cleanly: nobody else might notice.
 */
export function createProcessGroup(onUnexpectedExit: OnUnexpectedExit = () => undefined): ProcessGroup {
  const members = new Map<string, Member>();
  const faults: string[] = [];

  const member = (name: string): Member => {
    const found = members.get(name);
    if (found === undefined) throw new Error(`no process ${name}, but ${[...members.keys()].join(', ')}`);
    return found;
  };
  const fault = async (spec: ProcessSpec, exit: Exit): Promise<void> => {
    faults.push(`${spec.name} ended with ${describeExit(exit)}:\n${await tailOf(spec.logFile)}`);
  };
  const watch = (watched: Member): void => {
    const { running, spec } = watched;
    void running.exited.then(async (exit) => {
      if (watched.running !== running || watched.isAsked) return;
      await fault(spec, exit);
      onUnexpectedExit(group, spec.name);
    });
  };
  const asked = (name: string): Member => Object.assign(member(name), { isAsked: true });

  const stopAll = async (stopped: readonly Member[]): Promise<void> => {
    const last = [...stopped].reverse();
    for (const { spec } of last) asked(spec.name);
    for (const { spec, running } of last) {
      const exit = await running.stop();
      if (exit.code !== 0 && exit.signal !== 'SIGKILL') await fault(spec, exit);
    }
  };

  const group: ProcessGroup = {
    get processes() {
      return [...members.values()].map(({ running }) => running);
    },
    async addAll(specs) {
      const started = await Promise.allSettled(specs.map((spec) => runProcess(spec)));
      const added = specs.flatMap((spec, index): Member[] => {
        const result = started[index];
        return result?.status === 'fulfilled' ? [{ spec, running: result.value, isAsked: false }] : [];
      });
      for (const one of added) {
        members.set(one.spec.name, one);
        watch(one);
      }
      const failed = started.find((result) => result.status === 'rejected');
      if (failed === undefined) return;
      await stopAll(added);
      throw failed.reason;
    },
    process: (name) => member(name).running,
    async kill(name, signal = 'SIGKILL') {
      const { running } = asked(name);
      running.kill(signal);
      await running.exited;
    },
    async restart(name, spec) {
      const restarted = asked(name);
      restarted.spec = spec ?? restarted.spec;
      await restarted.running.exited;
      restarted.running = await runProcess(restarted.spec);
      restarted.isAsked = false;
      watch(restarted);
      return restarted.running;
    },
    async [Symbol.asyncDispose]() {
      await stopAll([...members.values()]);
      if (faults.length > 0) throw new Error(faults.join('\n\n'));
    },
  };
  return group;
}
