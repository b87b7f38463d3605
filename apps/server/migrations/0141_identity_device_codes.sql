-- Programs that wait for a person to let them in (RFC 8628). Of both codes only digests are kept. What a session has approved
-- ends with it, until the program has fetched it.
create table identity.device_codes (
  id               uuid        not null,
  device_digest    bytea       not null,
  user_digest      bytea       not null,
  status           text        not null default 'pending',
  host             text,
  client           text,
  network          text        not null,
  scopes           text[],
  interval_seconds int         not null,
  polled_at        timestamptz,
  session_id       int,
  brand_id         int,
  created_at       timestamptz not null default platform.now(),
  expires_at       timestamptz not null,
  constraint device_codes_pkey primary key (id),
  constraint device_codes_device_digest_key unique (device_digest),
  constraint device_codes_user_digest_key unique (user_digest),
  constraint device_codes_status_known check (status in ('pending', 'approved', 'denied', 'redeemed', 'expired')),
  constraint device_codes_approved_by check (status not in ('approved', 'redeemed') or session_id is not null),
  constraint device_codes_session_fkey foreign key (session_id) references identity.sessions (id) on delete cascade,
  constraint device_codes_brand_fkey foreign key (brand_id) references identity.brands (id) on delete cascade
);
create index device_codes_session_id on identity.device_codes (session_id);
create index device_codes_brand_id on identity.device_codes (brand_id);
create index device_codes_expires_at on identity.device_codes (expires_at);
