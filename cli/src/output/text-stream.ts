/** Where text goes: a terminal, or a pipe or file. */
export interface TextStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
}
