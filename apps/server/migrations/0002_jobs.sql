create schema jobs;

-- What has been done. The row commits with the effect it names, so an effect happens once whoever retries.
-- The fence is the number of the run that did it: attempt and claim of its job.
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
