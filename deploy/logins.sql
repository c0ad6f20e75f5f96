-- The logins of deploy/compose.yaml, made before the migrations and unless they are there: one for each process, a
-- member of the role that it runs its statements as and of no other. For evaluation: passwords that everyone knows.
-- docs/operators/install.md has those of a deployment.
do $$ declare
  name text;
  member_of text;
begin
  for name, member_of in values
    ('weir_access_login', 'weir_access_tenant'),
    ('weir_variables_login', 'weir_variables_tenant'),
    ('weir_dashboards_login', 'weir_dashboards_tenant'),
    ('weir_parsers_login', 'weir_parsers_tenant'),
    ('weir_ingestion_login', 'weir_ingestion_tenant'),
    ('weir_observations_login', 'weir_observations_query_tenant'),
    ('weir_processor_login', 'weir_observations_tenant')
  loop
    if not exists (select from pg_roles where rolname = member_of) then
      execute format('create role %I nologin', member_of);
    end if;
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I login password %L in role %I', name, name, member_of);
    end if;
  end loop;
end $$;
