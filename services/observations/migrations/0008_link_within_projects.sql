-- What is computed, and how, is linked to a series of its own project and to no other; edges to what is computed; how far
-- rollups are true, to their series. Without a look at the rows that are there, which the next migration takes: so writers
-- wait for the index alone, which has a row a variable.
create unique index series_variable_key_project_id_key on observations.series (variable_key, project_id);

alter table observations.calculations
  add constraint calculations_project_id_variable_key_fkey foreign key (project_id, variable_key)
    references observations.series (project_id, variable_key) not valid;
alter table observations.readers
  add constraint readers_reader_key_fkey foreign key (reader_key)
    references observations.calculations (variable_key) not valid;
alter table observations.rollup_states
  add constraint rollup_states_variable_key_fkey foreign key (variable_key)
    references observations.series (variable_key) not valid;
