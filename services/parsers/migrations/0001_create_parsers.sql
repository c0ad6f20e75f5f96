do $$ begin
  create role weir_parsers nologin;
exception when duplicate_object or unique_violation then null;
end $$;

-- whoever migrates may be the login that services use; a role made by another login is theirs to grant
do $$ begin
  grant weir_parsers to current_user;
exception when insufficient_privilege then null;
end $$;

-- Instants are those of statements: a transaction may begin before the change that it has to wait for.
-- The configuration is json, not jsonb: it comes back with its members in their order.
-- Lists walk along the primary key: ids of one project are in the order of their creation.
create table parsers.parsers (
  project_id uuid not null,
  id uuid not null,
  name text collate "C" not null constraint parsers_name_check check (char_length(name) between 1 and 256),
  type text not null constraint parsers_type_check check (type = 'csv'),
  -- rises with each change of the configuration
  version integer not null constraint parsers_version_check check (version >= 1),
  -- with all defaults filled in
  configuration json not null constraint parsers_configuration_check check (json_typeof(configuration) = 'object'),
  -- of the configuration as RFC 8785 canonical JSON
  canonical_size_bytes integer not null constraint parsers_canonical_size_bytes_check check (canonical_size_bytes >= 1),
  revision integer not null default 1 constraint parsers_revision_check check (revision >= 1),
  created_at timestamptz not null default statement_timestamp(),
  created_by jsonb not null,
  updated_at timestamptz not null default statement_timestamp(),
  updated_by jsonb not null,
  archived_at timestamptz,
  archived_by jsonb,
  constraint parsers_pkey primary key (project_id, id),
  constraint parsers_archived_check check ((archived_at is null) = (archived_by is null))
);

create unique index parsers_project_id_name_key on parsers.parsers (project_id, name) where archived_at is null;

grant usage on schema parsers to weir_parsers;
grant select on parsers.migrations to weir_parsers;
grant select, insert, update on parsers.parsers to weir_parsers;
