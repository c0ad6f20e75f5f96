-- Files: each has a run of its own beside those of its points.

-- A file that a connection sends, from its first row on. The actor is the connection.
create table ingestion.file_runs (
  -- UUIDv7; its time is when the first row was read
  id uuid constraint file_runs_pkey primary key,
  project_id uuid not null,
  connection_id uuid not null,
  -- null: none was sent, and nobody can go on with the file
  idempotency_key text collate "C",
  parser_id uuid not null,
  parser_version integer not null,
  -- what the parser said when the file was begun: all of it is read by that
  configuration text collate "C" not null,
  file_name text collate "C" not null,
  site_id uuid,
  -- zones of instruments by their names, as they were when they were first needed
  zones jsonb not null default '{}',
  state text collate "C" not null default 'running'
    constraint file_runs_state_check check (state in ('running', 'succeeded', 'partially_succeeded', 'failed')),
  code text collate "C",
  -- null when it is the code's own sentence
  message text,
  -- how many requests have worked at it
  attempts integer not null default 1,
  -- how many points are admitted, the first ones of the file: moved with each admission, in its statement,
  -- and only by who knows where it stands
  position bigint not null default 0,
  bytes bigint not null default 0,
  bytes_total bigint,
  rows bigint not null default 0,
  points bigint not null default 0,
  errors bigint not null default 0,
  missing bigint not null default 0,
  skipped bigint not null default 0,
  -- the first ones: [{ line, column, code, message, raw }]
  row_errors jsonb not null default '[]',
  -- a run that is not gone on with until then has failed
  expires_at timestamptz not null,
  finished_at timestamptz,
  constraint file_runs_connection_id_idempotency_key_key unique (connection_id, idempotency_key)
) with (fillfactor = 50);
create index file_runs_project_id_state_id_idx on ingestion.file_runs (project_id, state, id);
create index file_runs_connection_id_state_id_idx on ingestion.file_runs (connection_id, state, id);
create index file_runs_state_id_idx on ingestion.file_runs (state, id);

-- The file that a batch came with.
alter table ingestion.batches add column file_run_id uuid;

grant select, insert, update, delete on ingestion.file_runs to weir_ingestion;
