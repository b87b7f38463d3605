-- Each restore to an earlier moment begins a timeline: what was numbered after that moment gets its numbers again. A place in a
-- list is good only on the timeline that it was issued on. Only the owner adds to them.
create table platform.timelines (
  number      int         not null,
  restored_to timestamptz,
  began_at    timestamptz not null,
  constraint timelines_pkey primary key (number),
  constraint timelines_number_check check (number >= 1),
  constraint timelines_restored_check check ((number = 1) = (restored_to is null))
);
insert into platform.timelines (number, restored_to, began_at) values (1, null, platform.now());
