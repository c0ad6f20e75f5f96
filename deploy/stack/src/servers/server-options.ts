/** What a private server is started with. */
export interface ServerOptions {
  /** Its data stand in a folder of its own below. */
  readonly directory: string;
  readonly port: number;
  readonly password: string;
  readonly logFile: string;
  readonly recordDirectory: string;
  readonly env: Readonly<Record<string, string>>;
}
