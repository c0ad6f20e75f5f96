-- Which request asked for a recalculation, and in which trace: what is computed for it far from there is found by them.
-- A release that does not know them leaves them empty.
alter table variables.recalculations
  add column traceparent text not null default '',
  add column request_id text not null default '';
