import { errorOf, newProject, operator } from '@weir/kit/testing';
import { expect, test } from 'vitest';
import { seedOf, startTestVariables } from './test-variables.js';

test('the zone of an instrument is that of the site where its name stands', async () => {
  await using service = await startTestVariables();
  const { client } = service;
  const projectId = newProject();
  const seed = seedOf(client, projectId);
  const berlin = (await seed.site('Berlin', { timezone: 'Europe/Berlin' })).id;
  const lima = (await seed.site('Lima', { timezone: 'America/Lima' })).id;
  await seed.instrument('at one', berlin);
  await seed.instrument('at two', berlin);
  await seed.instrument('at two', lima);
  await seed.instrument('siteless');
  await seed.instrument('both');
  await seed.instrument('both', lima);
  const moved = await seed.instrument('archived', lima);
  await client.archiveInstrument({ projectId, instrumentId: moved.id, actor: operator });
  const other = seedOf(client, newProject());
  await other.instrument('elsewhere', (await other.site('Oslo', { timezone: 'Europe/Oslo' })).id);

  const instrumentNames = ['both', 'at one', 'at two', 'siteless', 'archived', 'unknown', 'elsewhere', 'at one'];
  expect(await client.getInstrumentZones({ projectId, instrumentNames })).toEqual({
    timezones: ['', 'Europe/Berlin', '', '', '', '', '', 'Europe/Berlin'],
  });
  expect(await errorOf(client.getInstrumentZones({ projectId, instrumentNames: [] }))).toBe(
    'invalid_request /instrument_names',
  );
  expect(await errorOf(client.getInstrumentZones({ projectId, instrumentNames: ['a\0'] }))).toBe(
    'invalid_request /instrument_names',
  );
});
