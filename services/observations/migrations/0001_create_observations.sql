-- Roles: the processor writes, the query service reads. They belong to the cluster and may exist.
do $$ begin create role weir_observations nologin; exception when duplicate_object or unique_violation then null; end $$;
do $$ begin create role weir_observations_query nologin; exception when duplicate_object or unique_violation then null; end $$;

do $$ begin
  if not pg_has_role(current_user, 'weir_observations', 'member') then
    grant weir_observations to current_user;
  end if;
  if not pg_has_role(current_user, 'weir_observations_query', 'member') then
    grant weir_observations_query to current_user;
  end if;
end $$;

-- One row a variable. `variable_key` is given by the variables service; `project_id` carries tenancy, and
-- every read joins it. `last_at` is the greatest instant that was ever stored; no index has it, so that
-- raising it writes to no index.
create table observations.series (
  variable_key bigint constraint series_variable_key_pkey primary key,
  project_id uuid not null,
  instrument_id uuid not null,
  generation integer not null,
  last_at timestamptz,
  created_at timestamptz not null default now()
) with (fillfactor = 70);

create index series_instrument_id_idx on observations.series (instrument_id);

-- Of several values for one variable and instant the one with the greatest `admitted` stands.
create table observations.observations (
  variable_key bigint not null,
  at timestamptz not null,
  value double precision not null,
  admitted bigint not null,
  constraint observations_variable_key_at_pkey primary key (variable_key, at) include (value)
) partition by range (at);

-- A partition a year, and one on each side instead of a default partition: with that one there, PostgreSQL
-- cannot walk the partitions in order (docs/decisions/0007-observations-are-read-by-fixed-plans.md).
create table observations.observations_before_2000 partition of observations.observations
  for values from (minvalue) to ('2000-01-01 00:00:00+00')
  with (autovacuum_vacuum_insert_scale_factor = 0.02);

create table observations.observations_from_2050 partition of observations.observations
  for values from ('2050-01-01 00:00:00+00') to (maxvalue)
  with (autovacuum_vacuum_insert_scale_factor = 0.02);

do $$ begin
  for year in 2000..2049 loop
    execute format(
      'create table observations.observations_%s partition of observations.observations
         for values from (%L) to (%L) with (autovacuum_vacuum_insert_scale_factor = 0.02)',
      year, format('%s-01-01 00:00:00+00', year), format('%s-01-01 00:00:00+00', year + 1)
    );
  end loop;
end $$;

grant usage on schema observations to weir_observations, weir_observations_query;
grant select on observations.migrations to weir_observations, weir_observations_query;
grant select, insert, update on observations.series, observations.observations to weir_observations;
grant select on observations.series, observations.observations to weir_observations_query;
