-- Tenants, Developer API keys, ingestion connections and their secrets.

do $$ begin
  create role weir_access nologin;
exception when duplicate_object or unique_violation then null;
end $$;

-- the login that migrates may also run the service; another login is granted the role by the operator
do $$ begin
  grant weir_access to current_user;
exception when insufficient_privilege or unique_violation or internal_error then null;
end $$;

create table access.organizations (
  id uuid constraint organizations_pkey primary key,
  name text collate "C" not null
    constraint organizations_name_check check (char_length(name) between 1 and 256)
    constraint organizations_name_key unique,
  created_at timestamptz not null default now(),
  created_by jsonb not null
);

create table access.projects (
  id uuid constraint projects_pkey primary key,
  organization_id uuid not null
    constraint projects_organization_id_fkey references access.organizations (id),
  name text collate "C" not null
    constraint projects_name_check check (char_length(name) between 1 and 256),
  created_at timestamptz not null default now(),
  created_by jsonb not null,
  constraint projects_organization_id_name_key unique (organization_id, name)
);
create index projects_organization_id_id_idx on access.projects (organization_id, id);

create table access.developer_keys (
  id uuid constraint developer_keys_pkey primary key,
  project_id uuid not null
    constraint developer_keys_project_id_fkey references access.projects (id),
  name text collate "C" not null
    constraint developer_keys_name_check check (char_length(name) between 1 and 256),
  permissions text[] not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  created_by jsonb not null,
  updated_at timestamptz not null default now(),
  updated_by jsonb not null,
  revoked_at timestamptz,
  revoked_by jsonb,
  constraint developer_keys_revoked_check check ((revoked_at is null) = (revoked_by is null))
);
create unique index developer_keys_project_id_name_key on access.developer_keys (project_id, name)
  where revoked_at is null;
create index developer_keys_project_id_id_idx on access.developer_keys (project_id, id);

-- A connection is never taken away: it is the scope of runs and of Idempotency-Key. It is disabled,
-- or left without a live secret.
create table access.connections (
  id uuid constraint connections_pkey primary key,
  project_id uuid not null
    constraint connections_project_id_fkey references access.projects (id),
  name text collate "C" not null
    constraint connections_name_check check (char_length(name) between 1 and 256),
  provisioning text not null
    constraint connections_provisioning_check check (provisioning in ('automatic', 'strict')),
  enabled boolean not null default true,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_at timestamptz not null default now(),
  created_by jsonb not null,
  updated_at timestamptz not null default now(),
  updated_by jsonb not null,
  constraint connections_project_id_name_key unique (project_id, name)
);
create index connections_project_id_id_idx on access.connections (project_id, id);

-- What is kept of a secret is its SHA-256. A live secret holds one of two slots of what it belongs
-- to, so there are never three.
create table access.secrets (
  id uuid constraint secrets_pkey primary key,
  developer_key_id uuid constraint secrets_developer_key_id_fkey references access.developer_keys (id),
  connection_id uuid constraint secrets_connection_id_fkey references access.connections (id),
  slot smallint not null constraint secrets_slot_check check (slot in (1, 2)),
  secret_sha256 bytea not null constraint secrets_secret_sha256_check check (octet_length(secret_sha256) = 32),
  hint text not null,
  created_at timestamptz not null default now(),
  created_by jsonb not null,
  revoked_at timestamptz,
  revoked_by jsonb,
  constraint secrets_owner_check check (num_nonnulls(developer_key_id, connection_id) = 1),
  constraint secrets_revoked_check check ((revoked_at is null) = (revoked_by is null))
);
create unique index secrets_developer_key_id_slot_key on access.secrets (developer_key_id, slot)
  where revoked_at is null;
create unique index secrets_connection_id_slot_key on access.secrets (connection_id, slot)
  where revoked_at is null;
create index secrets_developer_key_id_idx on access.secrets (developer_key_id);
create index secrets_connection_id_idx on access.secrets (connection_id);

grant usage on schema access to weir_access;
grant select on access.migrations to weir_access;
grant select, insert on access.organizations, access.projects to weir_access;
grant select, insert, update on access.developer_keys, access.connections, access.secrets to weir_access;
