-- What people do to a desk explains what its checks have found, so it stands among them.
alter table fleet.health_events add column kind text not null default 'check';
alter table fleet.health_events add constraint health_events_kind_known
  check (kind in ('check', 'suspended', 'resumed', 'repointed')) not valid;
alter table fleet.health_events validate constraint health_events_kind_known;
