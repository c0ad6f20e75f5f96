do $$ begin
  create role weir_variables nologin;
exception when duplicate_object or unique_violation then null;
end $$;

-- whoever migrates may be the login that services use; a role made by another login is theirs to grant
do $$ begin
  grant weir_variables to current_user;
exception when insufficient_privilege then null;
end $$;

-- One row per project whose catalog was ever changed. Every change of a project's instruments and
-- variables holds it `for update`, so that changes of one project happen one after another.
create table variables.catalogs (
  project_id uuid not null constraint catalogs_pkey primary key,
  generation bigint not null default 1 constraint catalogs_generation_check check (generation >= 1)
);

-- While tables are young the planner takes all indexes for equal, and sessions keep its plans. So each
-- lookup is left just one index: keys begin with the id, not the project, and some are partial for this alone.
-- Lists walk along indexes of their own, which their `revision >= 1` (it always is) keeps from all others.
-- Instants are those of statements: a transaction may begin before the change that it has to wait for.
create table variables.sites (
  project_id uuid not null,
  id uuid not null,
  name text collate "C" not null constraint sites_name_check check (char_length(name) between 1 and 256),
  description text not null default '' constraint sites_description_check check (char_length(description) <= 4096),
  latitude double precision constraint sites_latitude_check check (latitude between -90 and 90),
  longitude double precision constraint sites_longitude_check check (longitude between -180 and 180),
  elevation_m double precision constraint sites_elevation_m_check
    check (elevation_m > '-infinity' and elevation_m < 'infinity'),
  timezone text not null default 'UTC',
  metadata jsonb not null default '{}' constraint sites_metadata_check check (jsonb_typeof(metadata) = 'object'),
  revision integer not null default 1 constraint sites_revision_check check (revision >= 1),
  created_at timestamptz not null default statement_timestamp(),
  created_by jsonb not null,
  updated_at timestamptz not null default statement_timestamp(),
  updated_by jsonb not null,
  archived_at timestamptz,
  archived_by jsonb,
  constraint sites_pkey primary key (id, project_id),
  constraint sites_archived_check check ((archived_at is null) = (archived_by is null))
);

create unique index sites_project_id_name_key on variables.sites (project_id, name) where archived_at is null;
create index sites_project_id_id_idx on variables.sites (project_id, id) where revision >= 1;

create table variables.instruments (
  project_id uuid not null,
  id uuid not null,
  site_id uuid,
  name text collate "C" not null constraint instruments_name_check check (char_length(name) between 1 and 256),
  description text not null default ''
    constraint instruments_description_check check (char_length(description) <= 4096),
  manufacturer text constraint instruments_manufacturer_check check (char_length(manufacturer) <= 4096),
  model text constraint instruments_model_check check (char_length(model) <= 4096),
  serial_number text constraint instruments_serial_number_check check (char_length(serial_number) <= 4096),
  metadata jsonb not null default '{}' constraint instruments_metadata_check check (jsonb_typeof(metadata) = 'object'),
  revision integer not null default 1 constraint instruments_revision_check check (revision >= 1),
  created_at timestamptz not null default statement_timestamp(),
  created_by jsonb not null,
  updated_at timestamptz not null default statement_timestamp(),
  updated_by jsonb not null,
  archived_at timestamptz,
  archived_by jsonb,
  constraint instruments_pkey primary key (id, project_id),
  constraint instruments_project_id_site_id_fkey foreign key (project_id, site_id)
    references variables.sites (project_id, id),
  constraint instruments_archived_check check ((archived_at is null) = (archived_by is null))
);

-- Unique within a site and among the siteless; in this order it also finds a name at any site, the siteless first.
create unique index instruments_project_id_name_site_id_key
  on variables.instruments (project_id, name, site_id nulls first) nulls not distinct where archived_at is null;
create index instruments_project_id_name_site_id_archived_idx
  on variables.instruments (project_id, name, site_id) where archived_at is not null;
create index instruments_site_id_project_id_name_idx
  on variables.instruments (site_id, project_id, name) where site_id is not null;
create index instruments_project_id_id_idx on variables.instruments (project_id, id) where revision >= 1;
create index instruments_site_id_id_idx on variables.instruments (site_id, id) where revision >= 1;

create table variables.variables (
  variable_key bigint generated always as identity constraint variables_pkey primary key,
  project_id uuid not null,
  id uuid not null,
  instrument_id uuid not null,
  name text collate "C" not null constraint variables_name_check check (char_length(name) between 1 and 256),
  alias text collate "C" not null constraint variables_alias_check check (alias ~ '^[A-Za-z_][A-Za-z0-9_]{0,63}$'),
  variable_type text not null
    constraint variables_variable_type_check check (variable_type in ('ingested', 'calculated')),
  value_type text not null
    constraint variables_value_type_check check (value_type in ('decimal', 'integer', 'boolean')),
  unit text constraint variables_unit_check check (char_length(unit) <= 4096),
  expected_cadence_s integer constraint variables_expected_cadence_s_check check (expected_cadence_s >= 1),
  is_time_variable boolean not null default false,
  configuration_generation integer not null default 0
    constraint variables_configuration_generation_check check (configuration_generation >= 0),
  view_options jsonb not null constraint variables_view_options_check check (jsonb_typeof(view_options) = 'object'),
  revision integer not null default 1 constraint variables_revision_check check (revision >= 1),
  created_at timestamptz not null default statement_timestamp(),
  created_by jsonb not null,
  updated_at timestamptz not null default statement_timestamp(),
  updated_by jsonb not null,
  archived_at timestamptz,
  archived_by jsonb,
  constraint variables_id_key unique (id, project_id),
  constraint variables_project_id_instrument_id_fkey foreign key (project_id, instrument_id)
    references variables.instruments (project_id, id),
  constraint variables_archived_check check ((archived_at is null) = (archived_by is null))
);

create unique index variables_instrument_id_name_key
  on variables.variables (instrument_id, name) where archived_at is null;
create unique index variables_alias_instrument_id_key
  on variables.variables (alias, instrument_id) where archived_at is null and alias <> '';
create index variables_instrument_id_name_archived_idx
  on variables.variables (instrument_id, name) where archived_at is not null;
create index variables_project_id_id_idx on variables.variables (project_id, id) where revision >= 1;
create index variables_instrument_id_id_idx on variables.variables (instrument_id, id) where revision >= 1;

grant usage on schema variables to weir_variables;
grant select on variables.migrations to weir_variables;
grant select, insert, update on variables.catalogs, variables.sites, variables.instruments, variables.variables
  to weir_variables;
