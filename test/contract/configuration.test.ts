import { settings as access } from '@weir/access/config';
import { settings as dashboards } from '@weir/dashboards/config';
import { settings as gateway } from '@weir/gateway/config';
import { settings as ingestion } from '@weir/ingestion/config';
import type { Settings } from '@weir/kit/config';
import { processorSettings, querySettings } from '@weir/observations/config';
import { settings as parsers } from '@weir/parsers/config';
import { settings as variables } from '@weir/variables/config';
import { expect, test } from 'vitest';

const processes: Readonly<Record<string, Settings>> = {
  gateway,
  access,
  variables,
  dashboards,
  parsers,
  ingestion,
  observations: querySettings,
  processor: processorSettings,
};

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function tableOf(name: string, settings: Settings): string {
  const rows = Object.values(settings).map((setting) => {
    const value =
      setting.default === undefined ? 'required' : setting.default === '' ? 'empty' : `\`${setting.default}\``;
    const secret = setting.secret === true ? ' A secret.' : '';
    return `| \`${setting.env}\` | ${value} | ${cell(setting.grammar.accepts)} | ${cell(setting.doc)}${secret} |\n`;
  });
  return `## ${name}\n\n| variable | default | accepts | what for |\n| --- | --- | --- | --- |\n${rows.join('')}`;
}

test('docs/operators/configuration.md tells every setting that is declared', async () => {
  const tables = Object.entries(processes).map(([name, settings]) => tableOf(name, settings));
  const text = `# Configuration

Made of the declarations in each process's \`config.ts\` by \`./dev test contract -- -u\`; never edited.

${tables.join('\n')}`;
  await expect(text).toMatchFileSnapshot('../../docs/operators/configuration.md');
});
