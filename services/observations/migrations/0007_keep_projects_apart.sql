-- The second wall between projects: what a statement of the service reaches are rows of the project that its
-- transaction names in weir.project_id, of all where it says *, and none where it says nothing
-- (docs/decisions/0042-policies-are-the-second-wall-between-projects.md). A role of its own for that: the
-- release before goes on as it was. Policies are asked once a statement, and choose no plan: an index knows
-- nothing of them, and `is not null` is what the planner takes for nearly always true.
do $$ begin
  create role weir_observations_tenant nologin;
exception when duplicate_object or unique_violation then null;
end $$;

-- whoever may run as the service may run as this; a role made by another login is theirs to grant
do $$ begin
  grant weir_observations_tenant to weir_observations;
exception when insufficient_privilege or unique_violation or internal_error then null;
end $$;

do $$ begin
  create role weir_observations_query_tenant nologin;
exception when duplicate_object or unique_violation then null;
end $$;

-- whoever may run as the service may run as this; a role made by another login is theirs to grant
do $$ begin
  grant weir_observations_query_tenant to weir_observations_query;
exception when insufficient_privilege or unique_violation or internal_error then null;
end $$;

do $$ declare
  name text;
begin
  foreach name in array array['series', 'calculations', 'recalculations'] loop
    execute format('alter table observations.%I enable row level security, force row level security', name);
    execute format('create policy %I on observations.%I to weir_observations, weir_observations_query, %I using (true)',
      name || '_all_projects_policy', name, current_user);
    execute format(
      'create policy %I on observations.%I to weir_observations_tenant, weir_observations_query_tenant using ('
        'project_id = (select nullif(nullif(current_setting(''weir.project_id'', true), ''''), ''*'')::uuid) '
        'or (select nullif(current_setting(''weir.project_id'', true) = ''*'', false)) is not null)',
      name || '_project_policy', name
    );
  end loop;
end $$;

grant usage on schema observations to weir_observations_tenant, weir_observations_query_tenant;
grant select on observations.migrations to weir_observations_tenant, weir_observations_query_tenant;
grant select
  on observations.series, observations.observations, observations.changes, observations.change_horizons,
  observations.rollups, observations.rollup_states, observations.dirty
  to weir_observations_query_tenant;
grant select, insert, update on observations.series, observations.calculations to weir_observations_tenant;
grant select, insert, delete on observations.changes, observations.change_horizons to weir_observations_tenant;
grant select, insert, update, delete
  on observations.observations, observations.rollups, observations.rollup_states, observations.readers,
  observations.recalculations, observations.taken_changes, observations.dirty
  to weir_observations_tenant;
