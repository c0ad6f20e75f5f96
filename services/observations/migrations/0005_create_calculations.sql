-- How calculated variables are computed, as the variables service told last: everything that computing needs. The row
-- is the lock under which a variable's results are computed and its definition is replaced.
create table observations.calculations (
  variable_key bigint constraint calculations_variable_key_pkey primary key,
  project_id uuid not null,
  variable_id uuid not null,
  instrument_id uuid not null,
  configuration_generation integer not null,
  -- of the definition: a lower one never takes the place of a higher
  version bigint not null,
  -- null while it is archived, and not computed
  definition jsonb,
  constraint calculations_variable_key_fkey foreign key (variable_key) references observations.series (variable_key)
) with (fillfactor = 70);

-- Which calculated variables read a series, and where a change of one of its observations reaches them. An edge holds
-- for results in [from_at, until_at), and there is one for each way of reading. Written under the project's exclusive
-- lock; whoever writes observations reads it under the shared one, so that no writer misses a reader that is about to be
-- computed.
create table observations.readers (
  input_key bigint not null,
  reader_key bigint not null,
  from_at timestamptz not null,
  until_at timestamptz not null,
  -- whether the input is itself calculated
  is_calculated boolean not null,
  -- whether the results have their instants from this series alone
  is_sole_driver boolean not null,
  -- how far a change reaches past its instant: 0 that instant alone, null without end
  reach_us bigint,
  -- Whether the reach ends at the input's next observation: not, before it, or with it. One that ends with it begins
  -- after the instant.
  stops text not null constraint readers_stops_check check (stops in ('never', 'before_next', 'at_next')),
  constraint readers_input_key_reader_key_from_at_stops_pkey primary key (input_key, reader_key, from_at, stops)
);

create index readers_reader_key_idx on observations.readers (reader_key);

-- Recalculations as far as they are taken over; kept until the variables service knows their end.
create table observations.recalculations (
  run_id uuid constraint recalculations_run_id_pkey primary key,
  project_id uuid not null,
  state text not null
    constraint recalculations_state_check check (state in ('running', 'succeeded', 'failed')),
  error_code text,
  changes_total integer not null,
  changes_taken integer not null,
  ranges_total bigint not null default 0,
  ranges_done bigint not null default 0,
  ranges_skipped bigint not null default 0,
  instants_done bigint not null default 0,
  -- counts by reason
  missing jsonb not null default '{}',
  -- the sum of the counters that the variables service was told last
  reported bigint not null default -1,
  -- whether it knows the end
  is_reported boolean not null default false,
  ended_at timestamptz
) with (fillfactor = 50);

create index recalculations_is_reported_idx on observations.recalculations (run_id) where not is_reported;

-- Which changes were taken over, so that one that comes again does nothing.
create table observations.taken_changes (
  change_id bigint constraint taken_changes_change_id_pkey primary key,
  taken_at timestamptz not null default now()
);

-- What of which calculated variable is to be computed again. Rows are added by what causes them, in its transaction,
-- and deleted by what computes them, in the transaction that stores the results.
create table observations.dirty (
  id bigint generated always as identity constraint dirty_id_pkey primary key,
  variable_key bigint not null,
  ranges tstzmultirange not null,
  -- 0 live, 1 recalculation, 2 put aside: cancelled, or failed too often
  lane smallint not null constraint dirty_lane_check check (lane in (0, 1, 2)),
  run_id uuid,
  -- of the definition that it was made for
  configuration_generation integer not null,
  -- how many ranges the run counts as done with this row
  range_count integer not null,
  -- how many instants are in the ranges; null until they are counted
  instants bigint,
  attempts smallint not null default 0
) with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

create index dirty_lane_variable_key_idx on observations.dirty (lane, variable_key);
create index dirty_run_id_idx on observations.dirty (run_id) where run_id is not null;
create index dirty_variable_key_idx on observations.dirty (variable_key);

grant select, insert, update on observations.calculations to weir_observations;
grant select, insert, update, delete on
  observations.readers, observations.recalculations, observations.taken_changes, observations.dirty to weir_observations;
grant delete on observations.observations to weir_observations;
grant select on observations.dirty to weir_observations_query;
