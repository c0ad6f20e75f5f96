-- The second wall between projects: what a statement of the service reaches are rows of the project that its
-- transaction names in weir.project_id, of all where it says *, and none where it says nothing
-- (docs/decisions/0042-policies-are-the-second-wall-between-projects.md). A role of its own for that: the
-- release before goes on as it was. Policies are asked once a statement, and choose no plan: an index knows
-- nothing of them, and `is not null` is what the planner takes for nearly always true.
do $$ begin
  create role weir_variables_tenant nologin;
exception when duplicate_object or unique_violation then null;
end $$;

-- whoever may run as the service may run as this; a role made by another login is theirs to grant
do $$ begin
  grant weir_variables_tenant to weir_variables;
exception when insufficient_privilege or unique_violation or internal_error then null;
end $$;

do $$ declare
  name text;
begin
  foreach name in array array['catalogs', 'sites', 'instruments', 'variables', 'groups', 'group_members', 'constants', 'constant_values', 'calculations', 'calculation_inputs', 'recalculations', 'recalculation_ranges', 'calculation_changes'] loop
    execute format('alter table variables.%I enable row level security, force row level security', name);
    execute format('create policy %I on variables.%I to weir_variables, %I using (true)',
      name || '_all_projects_policy', name, current_user);
    execute format(
      'create policy %I on variables.%I to weir_variables_tenant using ('
        'project_id = (select nullif(nullif(current_setting(''weir.project_id'', true), ''''), ''*'')::uuid) '
        'or (select nullif(current_setting(''weir.project_id'', true) = ''*'', false)) is not null)',
      name || '_project_policy', name
    );
  end loop;
end $$;

grant usage on schema variables to weir_variables_tenant;
grant select on variables.migrations, variables.aliases to weir_variables_tenant;
grant select, insert, update
  on variables.catalogs, variables.sites, variables.instruments, variables.variables, variables.groups,
  variables.constants, variables.recalculations
  to weir_variables_tenant;
grant select, insert, update, delete on variables.constant_values to weir_variables_tenant;
grant select, insert, delete
  on variables.group_members, variables.calculations, variables.calculation_changes to weir_variables_tenant;
grant select, insert on variables.calculation_inputs, variables.recalculation_ranges to weir_variables_tenant;
