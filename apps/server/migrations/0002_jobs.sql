create schema jobs;

-- Each run of a job takes a higher number than every run before it. Only the run that holds the newest
-- number of its job may write effects, so a worker that was frozen and wakes up late changes nothing.
create sequence jobs.fence_numbers as bigint;

create table jobs.fences (
  job_id   uuid        not null,
  fence    bigint      not null,
  taken_at timestamptz not null default platform.now(),
  constraint fences_pkey primary key (job_id)
) with (fillfactor = 70);
create index fences_taken_at on jobs.fences (taken_at);

-- What has been done. The row commits with the effect it names, so an effect happens once whoever retries.
create table jobs.effects (
  key     text        not null,
  job_id  uuid        not null,
  fence   bigint      not null,
  done_at timestamptz not null default platform.now(),
  constraint effects_pkey primary key (key)
);
create index effects_done_at on jobs.effects (done_at);

-- One row per clock-driven job. Whoever moves next_at enqueues the run in the same transaction.
create table jobs.schedules (
  name    text        not null,
  cron    text        not null,
  next_at timestamptz not null,
  constraint schedules_pkey primary key (name)
);
