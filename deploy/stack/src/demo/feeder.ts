import { startLoop } from '@weir/kit/lifecycle';
import type { Demo } from './demo.js';

const intervalMs = 5000;
const historyStepMs = 10 * 60_000;
const historyPoints = 144;
const dayMs = 24 * 60 * 60_000;

/** A plausible day of weather: warm in the afternoon, with a little noise. */
function pointAt(siteId: string, atMs: number): object {
  const dayAngle = (2 * Math.PI * (atMs % dayMs)) / dayMs;
  const noise = Math.sin(atMs / 7_000) * 0.3;
  const round = (value: number): number => Math.round(value * 100) / 100;
  return {
    instrument_timestamp: new Date(atMs).toISOString(),
    instrument_name: 'Weather station',
    site_id: siteId,
    ingested_variables: [
      { name: 'air_temperature', value: round(12 - 6 * Math.cos(dayAngle - 0.8) + noise) },
      { name: 'relative_humidity', value: round(65 + 20 * Math.cos(dayAngle - 0.8) - noise) },
      { name: 'air_pressure', value: round(965 + 3 * Math.sin(dayAngle / 2) + noise) },
    ],
  };
}

async function post(gatewayUrl: string, demo: Demo, data: readonly object[], headers: Record<string, string> = {}) {
  const answer = await fetch(`${gatewayUrl}/v1/ingest`, {
    method: 'POST',
    headers: { 'x-api-key': demo.ingestKey, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ data }),
    signal: AbortSignal.timeout(intervalMs),
  });
  if (answer.status !== 200) throw new Error(`POST /v1/ingest: ${answer.status} ${await answer.text()}`);
  await answer.body?.cancel();
}

/** Sends readings as a device would, every few seconds until disposed; first, once, those of the day before. */
export function startFeeder(gatewayUrl: string, demo: Demo, onError: (error: unknown) => void): AsyncDisposable {
  let hasHistory = false;
  return startLoop({
    name: undefined,
    intervalMs,
    work: async () => {
      const now = Date.now();
      if (!hasHistory) {
        const instants = Array.from({ length: historyPoints }, (_, i) => now - (historyPoints - i) * historyStepMs);
        const points = instants.map((atMs) => pointAt(demo.siteId, atMs));
        await post(gatewayUrl, demo, points, { 'idempotency-key': 'history' });
        hasHistory = true;
      }
      await post(gatewayUrl, demo, [pointAt(demo.siteId, now)]);
    },
    onError,
  });
}
