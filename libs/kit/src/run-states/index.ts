import { RunState } from '@weir/proto/ingestion';

/** The states of runs: the public word → its number in messages. */
export const runStateNumbers = {
  queued: RunState.QUEUED,
  running: RunState.RUNNING,
  succeeded: RunState.SUCCEEDED,
  partially_succeeded: RunState.PARTIALLY_SUCCEEDED,
  failed: RunState.FAILED,
} as const;

/** The public word for the state of a run. */
export type RunStateWord = keyof typeof runStateNumbers;

/** All of these words. */
export const runStateWords = Object.keys(runStateNumbers) as [RunStateWord, ...RunStateWord[]];

const words: Readonly<Record<number, RunStateWord>> = Object.fromEntries(
  runStateWords.map((word) => [runStateNumbers[word], word]),
);

/** The word for a number of messages; undefined for one that is none, or newer than this process. */
export function toRunStateWord(number: number): RunStateWord | undefined {
  return words[number];
}
