/**
 * `helm test`, and the smoke test of any deployment: asks WEIR_URL whether it answers, and with WEIR_PROJECT_ID,
 * WEIR_API_KEY and WEIR_INGEST_KEY sends one point, waits until it is processed, reads it back, and archives what the
 * point made. Prints every step; exits with 1 at the first that fails.
 */
const { WEIR_URL, WEIR_PROJECT_ID, WEIR_API_KEY, WEIR_INGEST_KEY } = process.env;
const answerMs = 10_000;
const processedMs = 60_000;

if (WEIR_URL === undefined) {
  process.stderr.write('smoke-test: set WEIR_URL to where the gateway answers\n');
  process.exit(78);
}

/** Calls the API; the answer's data, or an error that says what was answered instead. */
async function call(method, path, { headers, body } = {}) {
  const response = await fetch(new URL(path, WEIR_URL), {
    method,
    headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(answerMs),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text);
}

const asDeveloper = { headers: { Authorization: `Bearer ${WEIR_API_KEY}` } };
const asDevice = { headers: { 'X-API-Key': WEIR_INGEST_KEY } };
const project = `/dev-api/v1/p/${WEIR_PROJECT_ID}`;

/** Runs one step of the test, and says how long it took. */
async function step(what, work) {
  const begun = performance.now();
  const result = await work().catch((error) => {
    process.stderr.write(`FAILED  ${what}: ${error.message}\n`);
    process.exit(1);
  });
  process.stdout.write(`ok      ${what} (${Math.round(performance.now() - begun)} ms)\n`);
  return result;
}

async function finished(runId) {
  const until = Date.now() + processedMs;
  for (;;) {
    const { data } = await call('GET', `/v1/ingest/runs/${runId}`, asDevice);
    if (data.state === 'succeeded') return data;
    if (data.state === 'failed') throw new Error(`the run failed: ${JSON.stringify(data)}`);
    if (Date.now() > until) throw new Error(`the run is still ${data.state} after ${processedMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

await step('the gateway is ready', () => call('GET', '/readyz'));
await step('the API describes itself', () => call('GET', '/dev-api/v1/openai.json'));

if (WEIR_PROJECT_ID === undefined || WEIR_API_KEY === undefined || WEIR_INGEST_KEY === undefined) {
  process.stdout.write('skipped a point there and back: no WEIR_PROJECT_ID, WEIR_API_KEY and WEIR_INGEST_KEY\n');
  process.exit(0);
}

await step('the key opens its project', () => call('GET', '/dev-api/v1/permissions', asDeveloper));
const name = `smoke test ${new Date().toISOString()}`;
const value = Math.round(Math.random() * 1e6) / 1000;
const at = new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
const point = { instrument_timestamp: at, instrument_name: name, ingested_variables: [{ name: 'value', value }] };
const runId = await step('a point is admitted', async () => {
  const { data } = await call('POST', '/v1/ingest', { ...asDevice, body: { data: [point] } });
  return data.runs[0].run_id;
});
const run = await step('its run succeeds', () => finished(runId));
const variableId = run.variables[0].variable_id;
await step('the observation is read back', async () => {
  const query = new URLSearchParams({ variable_id: variableId });
  const { data } = await call('GET', `${project}/observations/latest?${query}`, asDeveloper);
  if (data.items[0]?.value !== value) throw new Error(`sent ${value}, read ${JSON.stringify(data.items)}`);
});
await step('the instrument of the test is archived', async () => {
  const { data } = await call('GET', `${project}/variables/${variableId}`, asDeveloper);
  await call('POST', `${project}/instruments/${data.instrument_id}/archive`, asDeveloper);
});
