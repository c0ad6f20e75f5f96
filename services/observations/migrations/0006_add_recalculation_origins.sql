-- Which request asked for a recalculation, and in which trace, as the variables service told.
alter table observations.recalculations
  add column traceparent text not null default '',
  add column request_id text not null default '';
