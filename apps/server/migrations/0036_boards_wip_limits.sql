-- Whether cards beyond the limit of a column are refused or only told of.
alter table boards.boards
  add column wip_limits text not null default 'shown',
  add constraint boards_wip_limits_known check (wip_limits in ('shown', 'enforced'));
