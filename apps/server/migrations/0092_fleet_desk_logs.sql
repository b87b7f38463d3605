-- The logs of a desk that an admin has asked for: one request and what came back, for a day. A command is made of a request
-- when the desk reports, so one that is away keeps it waiting.
create table fleet.desk_logs (
  brand_id     int         not null,
  desk_id      uuid        not null,
  requested_by int         not null,
  requested_at timestamptz not null default platform.now(),
  -- The last command that was made for it.
  command_id   uuid,
  received_at  timestamptz,
  content      text,
  error        text,
  expires_at   timestamptz not null,
  constraint desk_logs_pkey primary key (brand_id, desk_id),
  constraint desk_logs_desk_fkey foreign key (brand_id, desk_id) references fleet.desks (brand_id, id)
    on delete cascade,
  constraint desk_logs_content_length check (char_length(content) <= 65536),
  constraint desk_logs_error_length check (char_length(error) <= 500),
  constraint desk_logs_content_fits check ((content is null) = (received_at is null)),
  constraint desk_logs_ends_once check (content is null or error is null)
);
-- For the sweep, over all workspaces.
create index desk_logs_by_expiry on fleet.desk_logs (expires_at);

alter table fleet.desk_logs enable row level security;
alter table fleet.desk_logs force row level security;
create policy tenant on fleet.desk_logs using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on fleet.desk_logs using ((select platform.is_system()))
  with check ((select platform.is_system()));
