-- That all rows keep to the links of the migration before; while it looks at them, readers and writers go on.
alter table observations.calculations validate constraint calculations_project_id_variable_key_fkey;
alter table observations.readers validate constraint readers_reader_key_fkey;
alter table observations.rollup_states validate constraint rollup_states_variable_key_fkey;

-- the one with the project says more
alter table observations.calculations drop constraint calculations_variable_key_fkey;
