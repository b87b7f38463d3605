-- When its job was sent again; until then the request has sent it.
alter table code_index.runs add column asked_at timestamptz;
-- Those that have not ended are few: whoever looks for lost ones reads them all.
create index runs_waiting on code_index.runs (requested_at) where state in ('waiting', 'running');
