-- Which hub a cell has. Two with one key would each get a part of what desks send, so the second waits for the first.
create table fleet.mesh_hubs (
  cell       int         not null,
  -- The boot and the network namespace that it runs in; there it is one process at most.
  holder     text,
  held_until timestamptz not null default '-infinity',
  constraint mesh_hubs_pkey primary key (cell),
  constraint mesh_hubs_holder_length check (char_length(holder) <= 200)
);
insert into fleet.mesh_hubs (cell) values (0);
