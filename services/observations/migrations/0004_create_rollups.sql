-- Partial aggregates of series with many observations: a row for each quarter of an hour and each hour (UTC) that
-- has any. Who reads them asks rollup_states and changes in the same statement, so that none is taken that is not
-- true any more (docs/decisions/0018-rollups-are-true-up-to-a-snapshot.md).
create table observations.rollups (
  variable_key bigint not null,
  length_s smallint not null,
  start_at timestamptz not null,
  count integer not null,
  -- NaN where a value is so large that a sum of such might overflow
  total double precision not null,
  minimum double precision not null,
  maximum double precision not null,
  first double precision not null,
  last double precision not null,
  first_at timestamptz not null,
  last_at timestamptz not null,
  -- first instants of the least and the greatest value
  min_at timestamptz not null,
  max_at timestamptz not null,
  -- twice the area below the lines from value to value, in units times microseconds
  area double precision not null,
  -- longest time between neighbours, in microseconds
  gap_us double precision not null,
  constraint rollups_variable_key_length_s_start_at_pkey primary key (variable_key, length_s, start_at)
    include (count, total, minimum, maximum, first, last, first_at, last_at, min_at, max_at, area, gap_us),
  constraint rollups_length_s_check check (length_s in (900, 3600))
) with (autovacuum_vacuum_insert_scale_factor = 0.02);

-- The rollups of a variable hold all that transactions which `snapshot` sees wrote before `until`.
create table observations.rollup_states (
  variable_key bigint constraint rollup_states_variable_key_pkey primary key,
  snapshot pg_snapshot not null,
  until timestamptz not null
) with (fillfactor = 70);

-- The whole lengths between two instants whose rollups are true for the snapshot that asks: those before the
-- state's end that no transaction changed which the state may not hold. None where changes that it did not see
-- may be forgotten, nor where it knows numbers of transactions to come: it was brought from another database.
create function observations.rolled_ranges(of_key bigint, length interval, start_at timestamptz, end_at timestamptz)
returns tstzmultirange language sql stable parallel safe as $$
  select case
    when pg_snapshot_xmin(state.snapshot)::text::bigint
        >= (select min(horizon.xid) from observations.change_horizons as horizon)
      and pg_snapshot_xmax(state.snapshot) <= pg_snapshot_xmax(pg_current_snapshot())
      and start_at < least(end_at, state.until)
    then tstzmultirange(tstzrange(start_at, least(end_at, state.until))) - coalesce((
      select range_agg(tstzrange(
        date_bin(length, change.first_at, '1600-01-01 00:00:00+00'),
        date_bin(length, change.last_at, '1600-01-01 00:00:00+00') + length
      ))
      from observations.changes as change
      where change.variable_key = of_key and change.first_at < state.until
        and change.xid >= pg_snapshot_xmin(state.snapshot)::text::bigint
        and not pg_visible_in_snapshot(change.xid::text::xid8, state.snapshot)
    ), '{}')
    else '{}'
  end
  from observations.rollup_states as state
  where state.variable_key = of_key
$$;

grant select, insert, update, delete on observations.rollups, observations.rollup_states to weir_observations;
grant select on observations.rollups, observations.rollup_states to weir_observations_query;
