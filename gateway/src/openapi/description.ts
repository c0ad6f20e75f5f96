/** The introduction of the document, in the few forms of Markdown that its page renders. */
export const description = `\
Weir keeps the readings of instruments. Points are sent to the **ingestion API** (\`POST /v1/ingest\`) with the key of an ingestion connection; what they become is read through the **Developer API** (\`/dev-api/v1/…\`) with a Developer API key of the same project.

## Requests

- Paths, methods, parameters, headers and members are those of this document and no others: an unknown or repeated query parameter, an empty value, a body where none is expected and an unknown member at any depth are 400. \`HEAD\` works wherever \`GET\` does, \`OPTIONS\` on every path.
- Bodies are JSON in UTF-8, sent as \`Content-Type: application/json\`, but for files, which are bytes as a logger wrote them. Of a member that stands twice the last counts. Numbers must be finite doubles, texts must not contain NUL.
- Instants are RFC 3339 with \`Z\` or a numeric offset, kept to the microsecond. Answers have them in UTC with three fractional digits, or six where they say something. Ranges are half-open: \`start <= t < end\`.
- Ids of records are UUIDs. An id that names nothing in the project of the key is 404.

## Answers

- A success is \`{ "request_id", "data" }\`, an error \`{ "request_id", "error": { "code", "message", "details" } }\`. Every answer carries \`X-Request-ID\`; a client may choose the id by sending that header with 1 to 128 of the characters \`A-Z a-z 0-9 . _ -\`.
- \`code\` is stable. All faults of a request that can be told at once are in \`details\`. The error has the code of its faults when they are all of one of the kinds \`unknown_field\`, \`unknown_query_parameter\`, \`unexpected_body\` or \`malformed_json\`, and \`invalid_request\` otherwise.
- Checks are made in this order: path (404), method (405), key (401), project (400, 403), permission (403), limits (429), media type (415), size (413), query and body (400), the resource itself (404, 409).
- What is no HTTP request at all is answered 400 \`bad_request\`, 408 \`request_timeout\` or 431 \`headers_too_large\`, in the same envelope.

## Lists

- \`next_cursor\` of one page is \`cursor\` of the next; it is null on the last; one before it may have fewer than \`limit\`, where records are large. Filters, order and range must stay as they were. Records that are created or renamed meanwhile make no other one appear twice or not at all. A cursor says nothing and lasts across restarts.

## Records

- A record is \`active\` or \`archived\`. Archived ones are hidden unless \`include_archived=true\` is given, refuse updates (409 \`lifecycle_conflict\`) and can be restored. What belongs to an archived record is archived with it, and comes back with it.
- Names are unique among the active records of their scope (409 \`name_conflict\`).
- \`PATCH\` replaces the members that it names whole; null clears one that may be null. With an \`expected_revision\` that is stale it is 409 \`revision_conflict\`, and the details say the current one.
- What other active records depend on is neither archived nor changed against them: 409 \`dependency_conflict\`, and the details name the dependents.

## Limits

- Answers to calls with a valid key carry \`RateLimit\` and \`RateLimit-Policy\`, and so do those of operations that need none. 429 and 503 say in \`Retry-After\` how long to wait.
- The effective limits of this deployment are in \`x-weir-limits\`.`;

/** What each tag is about. */
export const tagDescriptions: Readonly<Record<string, string>> = {
  Ingestion: 'Submitting points, and what became of them. Needs the key of an ingestion connection.',
  Sites: 'Places with their coordinates and time zones.',
  Instruments: 'Loggers and sensors, at a site or without one. They own variables and calibration constants.',
  Variables: 'The series of values of all instruments, ingested and calculated ones in one view.',
  'Ingested variables': 'Variables whose values are submitted.',
  'Calculated variables': 'Variables whose values are computed from others. Writing one starts a recalculation.',
  'Calibration constants':
    'Step functions of time that the calculations of an instrument read. Writing one starts a recalculation.',
  'Instrument groups': 'Sets of instruments, across sites.',
  'Instrument group members': 'Which instruments are in a group.',
  Dashboards: 'Saved arrangements of charts and other widgets.',
  'Dashboard widgets': 'What a dashboard shows; widgets are written with their dashboard.',
  Parsers: 'Saved descriptions of how to read the files of loggers.',
  Observations: 'Reading values of variables.',
  Runs: 'The processing of submitted points, files and recalculations of the project.',
  'API metadata': 'What this API is, and what a key may do.',
};
