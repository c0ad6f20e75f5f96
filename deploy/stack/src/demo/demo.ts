import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { allPermissions } from '@weir/kit/permissions';
import { connect } from '@weir/kit/rpc';
import { AccessServiceDefinition } from '@weir/proto/access';
import { VariablesServiceDefinition } from '@weir/proto/variables';
import type { Addresses } from '../stack/process-specs.js';

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
  const { organization } = await access.createOrganization({ name: 'Demo', actor });
  const organizationId = organization?.id ?? '';
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

async function isKnown(gatewayUrl: string, { apiKey }: Demo): Promise<boolean> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`${gatewayUrl}/dev-api/v1/permissions`, { headers });
  await answer.body?.cancel();
  return answer.status === 200;
}

/** The demo that `file` remembers, or a new one when there is none or the database does not know it. */
export async function openDemo(gatewayUrl: string, addresses: Addresses, file: string): Promise<Demo> {
  if (existsSync(file)) {
    const remembered = JSON.parse(readFileSync(file, 'utf8')) as Demo;
    if (await isKnown(gatewayUrl, remembered)) return remembered;
  }
  const demo = await createDemo(addresses);
  writeFileSync(file, JSON.stringify(demo), { mode: 0o600 });
  return demo;
}
