-- The second wall between projects: what a statement of the service reaches are rows of the project that its
-- transaction names in weir.project_id, of all where it says *, and none where it says nothing
-- (docs/decisions/0042-policies-are-the-second-wall-between-projects.md). A role of its own for that: the
-- release before goes on as it was. Policies are asked once a statement, and choose no plan: an index knows
-- nothing of them, and `is not null` is what the planner takes for nearly always true.
do $$ begin
  create role weir_parsers_tenant nologin;
exception when duplicate_object or unique_violation then null;
end $$;

-- whoever may run as the service may run as this; a role made by another login is theirs to grant
do $$ begin
  grant weir_parsers_tenant to weir_parsers;
exception when insufficient_privilege or unique_violation or internal_error then null;
end $$;

do $$ declare
  name text;
begin
  foreach name in array array['parsers'] loop
    execute format('alter table parsers.%I enable row level security, force row level security', name);
    execute format('create policy %I on parsers.%I to weir_parsers, %I using (true)',
      name || '_all_projects_policy', name, current_user);
    execute format(
      'create policy %I on parsers.%I to weir_parsers_tenant using ('
        'project_id = (select nullif(nullif(current_setting(''weir.project_id'', true), ''''), ''*'')::uuid) '
        'or (select nullif(current_setting(''weir.project_id'', true) = ''*'', false)) is not null)',
      name || '_project_policy', name
    );
  end loop;
end $$;

grant usage on schema parsers to weir_parsers_tenant;
grant select on parsers.migrations to weir_parsers_tenant;
grant select, insert, update on parsers.parsers to weir_parsers_tenant;
