import type { Setting } from './setting.js';

/** The settings of a process by the name that the code uses. */
export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** The parsed form of declared settings. */
export type ConfigOf<S extends Settings> = {
  readonly [K in keyof S]: S[K] extends Setting<infer T> ? T : never;
};

/** Every fault of an environment, told at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

function textOf(setting: Setting<unknown>, env: NodeJS.ProcessEnv): string | undefined {
  return env[setting.env] ?? setting.default;
}

/**
 * Reads declared settings from an environment.
 *
 * @throws ConfigError naming every variable that is missing or wrong, and what it accepts
 */
export function parseConfig<const S extends Settings>(settings: S, env: NodeJS.ProcessEnv): ConfigOf<S> {
  const faults: string[] = [];
  const config: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(settings)) {
    const value = textOf(setting, env);
    if (value === undefined) {
      faults.push(`${setting.env} is required: ${setting.grammar.accepts}. ${setting.doc}`);
      continue;
    }
    const parsed = setting.grammar.parse(value);
    if (parsed === undefined) {
      const shown = setting.secret === true ? '(a secret)' : JSON.stringify(value);
      faults.push(`${setting.env} is ${shown}, but must be ${setting.grammar.accepts}. ${setting.doc}`);
    }
    config[name] = parsed;
  }
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze(config) as ConfigOf<S>;
}

/** The effective settings as `NAME=value` lines, secrets masked. */
export function printConfig(settings: Settings, env: NodeJS.ProcessEnv): string {
  return Object.values(settings)
    .map((setting) => {
      const value = textOf(setting, env);
      return `${setting.env}=${value === undefined ? '(missing)' : setting.secret === true ? '********' : value}`;
    })
    .join('\n');
}
