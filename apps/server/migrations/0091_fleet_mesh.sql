-- How many desks a hub has. WireGuard in user space refuses more than 65,536 on a device; a quarter of it leaves room.
create table fleet.mesh_cells (
  cell  int not null,
  peers int not null default 0,
  constraint mesh_cells_pkey primary key (cell),
  constraint mesh_cells_room check (peers between 0 and 16384)
);
insert into fleet.mesh_cells (cell) values (0);

-- Desks that are in the private network: the key that each has there, and the one address that the hub takes from it.
create table fleet.mesh_peers (
  brand_id int  not null,
  desk_id  uuid not null,
  cell     int  not null default 0,
  -- X25519, 32 bytes in base64url.
  wg_key   text not null,
  address  inet not null,
  constraint mesh_peers_pkey primary key (brand_id, desk_id),
  constraint mesh_peers_brand_fkey foreign key (brand_id) references identity.brands (id),
  constraint mesh_peers_wg_key_form check (wg_key ~ '^[A-Za-z0-9_-]{43}$'),
  constraint mesh_peers_address_form check (family(address) = 6 and masklen(address) = 128)
);
-- Over all workspaces: of two peers with one key, the hub would know the last; of two with one address as well.
create unique index mesh_peers_by_key on fleet.mesh_peers (wg_key);
create unique index mesh_peers_by_address on fleet.mesh_peers (address);

alter table fleet.mesh_peers enable row level security;
alter table fleet.mesh_peers force row level security;
create policy tenant on fleet.mesh_peers using (brand_id = (select platform.current_brand()))
  with check (brand_id = (select platform.current_brand()));
create policy system on fleet.mesh_peers using ((select platform.is_system()))
  with check ((select platform.is_system()));

-- An address has the milliseconds of its making and this number, so that none is ever made again, also when the database
-- is restored to an earlier time.
create sequence fleet.mesh_addresses as int minvalue 0 maxvalue 65535 cycle;

-- What the hub has to do, in this order. Of nobody: it outlives the desk and the workspace whose peer is to go.
create table fleet.mesh_deltas (
  id         bigint      not null generated always as identity,
  cell       int         not null,
  -- The peer that is to be there, and at what address; null if none.
  wg_key     text,
  address    inet,
  -- The peer that is to go; with another one, that takes over where it was last seen.
  old_wg_key text,
  created_at timestamptz not null default platform.clock_now(),
  applied_at timestamptz,
  constraint mesh_deltas_pkey primary key (id),
  constraint mesh_deltas_says_something check (num_nonnulls(wg_key, old_wg_key) > 0),
  constraint mesh_deltas_whole check ((wg_key is null) = (address is null))
);
create index mesh_deltas_waiting on fleet.mesh_deltas (cell, id) where applied_at is null;
create index mesh_deltas_by_age on fleet.mesh_deltas (applied_at) where applied_at is not null;

-- By trigger, so that no way a desk joins, changes its key or goes can forget the hub.
create function fleet.tell_hub() returns trigger
  language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    insert into fleet.mesh_deltas (cell, wg_key, address) values (new.cell, new.wg_key, new.address);
    update fleet.mesh_cells set peers = peers + 1 where cell = new.cell;
  elsif tg_op = 'UPDATE' then
    insert into fleet.mesh_deltas (cell, wg_key, address, old_wg_key)
    values (new.cell, new.wg_key, new.address, old.wg_key);
  else
    insert into fleet.mesh_deltas (cell, old_wg_key) values (old.cell, old.wg_key);
    update fleet.mesh_cells set peers = peers - 1 where cell = old.cell;
  end if;
  return null;
end $$;
create trigger tell_hub after insert or delete on fleet.mesh_peers
  for each row execute function fleet.tell_hub();
create trigger tell_hub_of_key after update of wg_key on fleet.mesh_peers
  for each row when (old.wg_key is distinct from new.wg_key) execute function fleet.tell_hub();
