import type { RpcClient } from '@weir/kit/rpc';
import { type ResolveRequest, ResolveResponse, type VariablesServiceDefinition } from '@weir/proto/variables';
import { expect, test } from 'vitest';
import { NameResolver } from './resolve-names.js';

test('what is no longer true of one project makes nothing of another be forgotten', async () => {
  let generation = 1;
  let asked = 0;
  const resolve = ({ projectId, instruments }: ResolveRequest): Promise<ResolveResponse> => {
    asked += instruments.length;
    return Promise.resolve(
      ResolveResponse.fromPartial({
        generation: projectId === 'changing' ? generation : 1,
        instruments: instruments.map(({ variableNames }) => ({
          instrumentId: 'logger',
          variables: variableNames.map((_, i) => ({ variableKey: i, valueType: 'decimal' })),
        })),
      }),
    );
  };
  const client = { resolve } as unknown as RpcClient<VariablesServiceDefinition>;
  const names = new NameResolver(client, { namesLookedUp: () => undefined }, 8);
  const channels = ['a', 'b', 'c'].map((variableName) => ({
    siteId: undefined,
    instrumentName: 'Logger',
    variableName,
  }));
  const ask = (projectId: string) =>
    names.resolve(projectId, [{ provisioning: 'automatic', connectionId: '', channels }]);

  await ask('steady');
  for (; generation <= 10; generation++) await ask('changing');
  asked = 0;
  await ask('steady');
  expect(asked).toBe(0);
});
