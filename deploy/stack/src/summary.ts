import type { RunningStack } from './running-stack.js';

/** Shell assignments by which a person or a script uses the running stack. No value needs quotes. */
export function assignments({ gatewayUrl, demo }: RunningStack): string {
  const values = {
    WEIR_URL: gatewayUrl,
    WEIR_PROJECT_ID: demo.projectId,
    WEIR_API_KEY: demo.apiKey,
    WEIR_INGEST_KEY: demo.ingestKey,
    WEIR_VARIABLE_ID: demo.variableId,
  };
  return Object.entries(values)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('');
}

/** What `./dev up` ends with: all that a newcomer needs for a first reading in and out. */
export function summary(stack: RunningStack): string {
  const { gatewayUrl, demo } = stack;
  return `
Weir is ready at ${gatewayUrl}

${assignments(stack)}
Post a reading:

  curl -sS -X POST ${gatewayUrl}/v1/ingest \\
    -H 'X-API-Key: ${demo.ingestKey}' -H 'Content-Type: application/json' \\
    -d "{\\"data\\": [{\\"instrument_timestamp\\": \\"$(date -u +%Y-%m-%dT%H:%M:%SZ)\\",
          \\"instrument_name\\": \\"${demo.instrumentName}\\",
          \\"ingested_variables\\": [{\\"name\\": \\"${demo.variableName}\\", \\"value\\": 1.25}]}]}"

Read it back:

  curl -sS -H 'Authorization: Bearer ${demo.apiKey}' \\
    '${gatewayUrl}/dev-api/v1/p/${demo.projectId}/observations/latest?variable_id=${demo.variableId}'

A demo weather station sends readings every few seconds. The API's document: ${gatewayUrl}/dev-api/v1/docs
`;
}
