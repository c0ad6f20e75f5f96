import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { createOutput } from './output/output.js';
import { createProgram } from './program.js';
import { repositoryRoot } from './repository-root.js';

const silent = createOutput({ write: () => undefined }, { write: () => undefined });
const program = createProgram({ env: {}, output: silent, userName: 'tester', setExitCode: () => undefined }, '0');

function leaves(command: Command, path: string): { path: string; command: Command }[] {
  const here = `${path} ${command.name()}`.trim();
  return command.commands.length === 0
    ? [{ path: here, command }]
    : command.commands.flatMap((child) => leaves(child, here));
}

const commands = leaves(program, '');

describe('every command', () => {
  test.each(commands)('$path describes itself and offers --json', ({ command }) => {
    expect(command.description()).not.toBe('');
    expect(command.options.map((option) => option.long)).toContain('--json');
    for (const option of command.options) expect(option.description, option.flags).not.toBe('');
  });

  test('is shown in the page for operators', async () => {
    const page = await readFile(join(repositoryRoot, 'docs/operators/cli.md'), 'utf8');
    expect(
      commands.map(({ path }) => path).filter((path) => !page.includes(`\n${path}`) && !page.includes(`(${path}`)),
    ).toEqual([]);
    for (const { path, command } of commands) {
      for (const option of command.options) {
        if (option.long !== '--json') expect(page, path).toContain(option.long);
      }
    }
  });
});

test('the help names every setting that is declared', () => {
  let help = '';
  program.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  for (const name of ['ACCESS_ADDRESS', 'WEIR_METRICS_URL', 'WEIR_ACTOR', 'TLS_CA_FILE', 'DATABASE_URL'])
    expect(help).toContain(name);
  expect(help).not.toMatch(/^.{140}/m);
});
