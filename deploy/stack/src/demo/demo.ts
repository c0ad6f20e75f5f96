import { existsSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { WeirError } from '@weir/kit/errors';
import { allPermissions } from '@weir/kit/permissions';
import { connect, type RpcClient } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import type { Addresses } from '../stack/process-specs.js';
import { writeWhole } from '../write-whole.js';

/** A project to try things in, with keys that may do everything in it. */
export interface Demo {
  readonly projectId: string;
  readonly siteId: string;
  readonly apiKey: string;
  readonly ingestKey: string;
  /** A variable that nothing feeds: what a newcomer posts to it is what is read back. */
  readonly variableId: string;
  readonly variableName: string;
  readonly instrumentName: string;
}

const actor = { type: 'system', id: 'dev' };
const instrumentName = 'Staff gauge';
const variableName = 'water_level';

async function createDemo(addresses: Addresses): Promise<Demo> {
  using access = connect(AccessServiceDefinition, addresses.access);
  using variables = connect(VariablesServiceDefinition, addresses.variables);
  const organizationId = await createOrganization(access);
  const { project } = await access.createProject({ organizationId, name: 'Demo', actor });
  const projectId = project?.id ?? '';
  const { plaintext: apiKey } = await access.createDeveloperKey({
    projectId,
    name: 'Demo',
    permissions: [...allPermissions],
    actor,
  });
  const { plaintext: ingestKey } = await access.createConnection({
    projectId,
    name: 'Demo',
    provisioning: 'automatic',
    actor,
  });
  const { site } = await variables.createSite({
    projectId,
    name: 'Wehr am Mühlbach',
    description: 'An invented place.',
    latitude: 47.3769,
    longitude: 8.5417,
    elevationM: 408,
    timezone: 'Europe/Zurich',
    metadata: {},
    actor,
  });
  const siteId = site?.id ?? '';
  const { instrument } = await variables.createInstrument({
    projectId,
    siteId,
    name: instrumentName,
    metadata: {},
    actor,
  });
  const { variable } = await variables.createIngestedVariable({
    projectId,
    instrumentId: instrument?.id ?? '',
    name: variableName,
    unit: 'm',
    actor,
  });
  return { projectId, siteId, apiKey, ingestKey, variableId: variable?.id ?? '', variableName, instrumentName };
}

/** Whether the database knows the key; a gateway that cannot tell yet, being busy or just started, is asked again. */
async function isKnown(gatewayUrl: string, { apiKey }: Demo): Promise<boolean> {
  const headers = { authorization: `Bearer ${apiKey}` };
  for (let asked = 1; ; asked++) {
    const answer = await fetch(`${gatewayUrl}/dev-api/v1/permissions`, { headers });
    await answer.body?.cancel();
    if (answer.status === 200 || answer.status === 401) return answer.status === 200;
    if (asked === 20) throw new Error(`The gateway does not say whether it knows the demo: HTTP ${answer.status}.`);
    await setTimeout(250);
  }
}

/** The organization of a new demo; beside one that was left half made, or whose keys are lost, it has a name of its own. */
async function createOrganization(access: RpcClient<typeof AccessServiceDefinition>): Promise<string> {
  const names = ['Demo', `Demo of ${new Date().toISOString()}`];
  for (const name of names) {
    try {
      return (await access.createOrganization({ name, actor })).organization?.id ?? '';
    } catch (error) {
      if (!(error instanceof WeirError && error.code === 'name_conflict' && name !== names.at(-1))) throw error;
    }
  }
  return '';
}

/** The demo that `file` remembers, or a new one when there is none or the database does not know it. */
export async function openDemo(gatewayUrl: string, addresses: Addresses, file: string): Promise<Demo> {
  if (existsSync(file)) {
    const remembered = JSON.parse(readFileSync(file, 'utf8')) as Demo;
    if (await isKnown(gatewayUrl, remembered)) return remembered;
  }
  const demo = await createDemo(addresses);
  writeWhole(file, JSON.stringify(demo));
  return demo;
}
