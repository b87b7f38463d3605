alter table hires.hires
  -- Rises with every build that begins. One that was overtaken writes nothing any more.
  add column build_epoch int not null default 0;
alter table hires.build_steps
  -- Ids that later steps need.
  add column made jsonb;
