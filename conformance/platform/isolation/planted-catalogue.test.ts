import { catalogueFaults } from '@crewhall/testkit/catalogue/catalogue.ts'
import { tenancyFaults } from '@crewhall/testkit/catalogue/catalogue-tenancy.ts'
import { cloneDatabase, type TestDatabase } from '@crewhall/testkit/databases.ts'
import { templateName } from '@crewhall/testkit/templates.ts'
import { connect } from '@crewhall/testkit/world/database-access.ts'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillTwoBrands } from './two-brands.ts'

describe('the catalogue gate catches', () => {
  let database: TestDatabase
  let client: pg.Client
  beforeAll(async () => {
    database = await cloneDatabase(templateName('product'))
    client = await connect(database, 'superuser')
  })
  afterAll(async () => {
    await client.end()
    await database.drop()
  })

  /** Each leak is alone: its transaction is rolled back. */
  async function faultsWith(leak: string, role: string): Promise<string[]> {
    await client.query('begin')
    try {
      await client.query(leak)
      return await catalogueFaults(client, role)
    } finally {
      await client.query('rollback')
    }
  }
  const own = () => decodeURIComponent(new URL(database.url).username)
  const inBrand = 'brand_id = (select platform.current_brand())'
  const things = `create table identity.things (brand_id int not null, id int not null, primary key (brand_id, id));
    alter table identity.things enable row level security; alter table identity.things force row level security;
    create policy tenant on identity.things using (${inBrand}) with check (${inBrand});
    create policy system on identity.things using ((select platform.is_system())) with check ((select platform.is_system()));`

  test('nothing when nothing is planted, also with one more table that is built right', async () => {
    expect(await faultsWith('select 1', own())).toEqual([])
    expect(await faultsWith(things, own())).toEqual([])
  })

  test.each<[string, string, string]>([
    ['a dropped policy', 'drop policy tenant on identity.tokens', 'identity.tokens lacks the policy tenant'],
    [
      'row security that its owner escapes',
      'alter table identity.tokens no force row level security',
      'identity.tokens does not force row security on its owner',
    ],
    [
      'row security switched off',
      'alter table identity.memberships disable row level security',
      'identity.memberships has row security switched off',
    ],
    [
      'a policy without WITH CHECK',
      `drop policy tenant on identity.tokens; create policy tenant on identity.tokens using (${inBrand})`,
      'policy tenant of identity.tokens writes with null',
    ],
    [
      'a policy that reads everything',
      'alter policy tenant on identity.tokens using (true)',
      'policy tenant of identity.tokens reads with true',
    ],
    [
      'a policy that writes everything',
      'alter policy tenant on identity.brands with check (true)',
      'policy tenant of identity.brands writes with true',
    ],
    [
      'a policy for reading only',
      `drop policy tenant on identity.tokens; create policy tenant on identity.tokens for select using (${inBrand})`,
      'policy tenant of identity.tokens covers r public permissive',
    ],
    [
      'a second policy beside the right ones',
      'create policy support on identity.tokens for select using (true)',
      'identity.tokens has another policy, support',
    ],
    [
      'a brand_id that may be null',
      `${things} alter table identity.things drop constraint things_pkey, alter brand_id drop not null`,
      'identity.things.brand_id may be null',
    ],
    [
      'a unique index over all workspaces',
      'create unique index planted on identity.tokens (name)',
      'unique index planted of identity.tokens does not lead with brand_id',
    ],
    [
      'a unique index that holds the workspace, but not first',
      'create unique index planted on identity.tokens (name, brand_id)',
      'unique index planted of identity.tokens does not lead with brand_id',
    ],
    [
      'a foreign key without the workspace',
      `${things} create unique index on identity.things (brand_id, id);
       alter table identity.things add person_id int constraint planted references identity.people (id);
       create index on identity.things (person_id)`,
      'foreign key planted of identity.things does not lead with brand_id',
    ],
    [
      'a foreign key from outside into a workspace',
      `create table identity.notes (token_brand int, token uuid, constraint planted
         foreign key (token_brand, token) references identity.tokens (brand_id, id));
       create index on identity.notes (token_brand, token)`,
      'foreign key planted of identity.notes does not lead with brand_id',
    ],
    [
      'a foreign key without an index',
      'drop index identity.sessions_person_id',
      'foreign key sessions_person_fkey of identity.sessions has no index',
    ],
    [
      'a table that nobody has looked at',
      'create table identity.notes (id int primary key)',
      'identity.notes has no brand_id and is not on the list of global tables',
    ],
    [
      'a tenant table without tenancy policies',
      'create table identity.notes (brand_id int not null, id int, primary key (brand_id, id))',
      'identity.notes has row security switched off',
    ],
    [
      'a partition without tenancy policies',
      `create table identity.notes (like identity.tokens) partition by list (brand_id);
       create table identity.notes_1 partition of identity.notes for values in (1)`,
      'identity.notes_1 has row security switched off',
    ],
    [
      'a function with the rights of its owner',
      `create function identity.planted() returns bigint language sql security definer
         return (select count(*) from identity.tokens)`,
      'function identity.planted runs with the rights of its owner',
    ],
    [
      'a view with the rights of its owner',
      'create view identity.planted as select * from identity.tokens',
      'view identity.planted reads with the rights of its owner',
    ],
    [
      'a materialised view',
      'create materialized view identity.planted as select * from identity.tokens',
      'materialised view identity.planted has no row security',
    ],
  ])('%s', async (_, leak, fault) => {
    expect(await faultsWith(leak, own())).toContain(fault)
  })

  const role = `planted_${process.pid}`
  test('a role that row security does not bind', async () => {
    const faults = await faultsWith(`create role ${role} bypassrls`, role)
    expect(faults).toEqual([`role ${role} passes row security, as ${role}`])
  })

  test('a role that may become superuser', async () => {
    const superuser = (await client.query<{ name: string }>('select current_user as name')).rows[0]?.name
    const faults = await faultsWith(`create role ${role}; grant ${superuser} to ${role}`, role)
    expect(faults).toEqual([`role ${role} passes row security, as ${superuser}`])
  })

  test('a view that is read with the rights of the caller is no fault', async () => {
    const view =
      'create view identity.planted with (security_invoker = true) as select * from identity.tokens'
    expect(await faultsWith(view, own())).toEqual([])
  })
})

describe('tenancy, tried on a connection, catch', () => {
  const enter = (
    body: string,
  ) => `create or replace function platform.enter_brand(brand int, epoch bigint, until timestamptz, session bigint, session_version int)
    returns void language plpgsql as $$ begin ${body} end $$`

  test.each<[string, string, RegExp]>([
    [
      'a brand that stays entered on a pooled connection',
      enter(`perform set_config('app.brand_id', brand::text, false);`),
      /^identity\.tokens shows brands \[\d+\] after the brand was left/,
    ],
    [
      'a brand that opens all others',
      enter(
        `perform set_config('app.brand_id', brand::text, true); perform set_config('app.system', 'on', true);`,
      ),
      /^identity\.tokens shows brands \[\d+,\d+\] inside a brand/,
    ],
    [
      'platform work that everybody does',
      'create or replace function platform.is_system() returns boolean language sql stable return true',
      /^identity\.tokens shows brands \[\d+,\d+\] before any brand/,
    ],
    [
      'a brand of its own for whoever has entered none',
      `create or replace function platform.current_brand() returns int language sql stable
         return coalesce(nullif(current_setting('app.brand_id', true), '')::int, 1)`,
      /^identity\.tokens shows brands \[1\] before any brand/,
    ],
    [
      'rows that can be added to another brand',
      'alter policy tenant on identity.memberships with check (true)',
      /^identity\.memberships: a row was added to another brand/,
    ],
    [
      'an owner who escapes',
      'alter table identity.tokens no force row level security',
      /^identity\.tokens shows brands \[\d+,\d+\] before any brand/,
    ],
  ])('%s', async (_, leak, fault) => {
    const database = await cloneDatabase(templateName('product'))
    // As the owner, whom FORCE alone holds: the product's own role has no way around a policy.
    const client = await connect(database, 'owner')
    try {
      const { one, other } = await fillTwoBrands(database)
      expect(await tenancyFaults(client, one, other)).toEqual([])
      await client.query(leak)
      expect(await tenancyFaults(client, one, other)).toContainEqual(expect.stringMatching(fault))
    } finally {
      await client.end()
      await database.drop()
    }
  })
})
