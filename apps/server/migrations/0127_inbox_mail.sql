-- Whether a member wants their inbox of this workspace by mail; no row means no. One row for each, however much waits.
create table inbox.mail_settings (
  brand_id   int         not null,
  person_id  int         not null,
  mode       text        not null,
  -- Of the day, in UTC, for `daily`.
  hour       int         not null default 7,
  -- What was told until then has been mailed, or was told before mail was wanted.
  seen_to    timestamptz not null default platform.clock_now(),
  sent_at    timestamptz,
  -- The next mail comes no earlier.
  not_before timestamptz not null default '-infinity',
  -- When a worker looks at it. Null while nothing was told since the last look.
  due_at     timestamptz,
  constraint mail_settings_pkey primary key (brand_id, person_id),
  constraint mail_settings_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint mail_settings_mode_known check (mode in ('off', 'at_once', 'daily')),
  constraint mail_settings_hour_of_day check (hour between 0 and 23),
  constraint mail_settings_off_is_never_due check (mode <> 'off' or due_at is null)
);
create index mail_settings_due on inbox.mail_settings (due_at) where due_at is not null;
-- Of one person over all workspaces, for their erasure.
create index mail_settings_person on inbox.mail_settings (person_id);
alter table inbox.mail_settings enable row level security;
alter table inbox.mail_settings force row level security;
create policy tenant on inbox.mail_settings
  using (brand_id = (select platform.current_brand())) with check (brand_id = (select platform.current_brand()));
create policy system on inbox.mail_settings
  using ((select platform.is_system())) with check ((select platform.is_system()));

-- When to look next, if something is told now. A minute joins what happens together, and whoever is reading reads it.
create function inbox.mail_due(wanted text, at_hour int, earliest timestamptz) returns timestamptz
  language sql volatile as $$
  select case when wanted = 'at_once' then greatest(platform.clock_now() + interval '1 minute', earliest)
    else (place + case when place < d.start then interval '1 day' else interval '0' end) at time zone 'UTC' end
  from (select greatest(platform.clock_now(), earliest) at time zone 'UTC' as start) as d
  cross join lateral (select date_trunc('day', d.start) + make_interval(hours => at_hour) as place) as p
$$;

-- How long to be silent after a mail: for some minutes, or until the next day.
create function inbox.mail_silent_until(wanted text, sent timestamptz, minutes int) returns timestamptz
  language sql immutable as $$
  select coalesce(case when wanted = 'at_once' then sent + make_interval(mins => minutes)
    else (date_trunc('day', sent at time zone 'UTC') + interval '1 day') at time zone 'UTC' end, '-infinity')
$$;
