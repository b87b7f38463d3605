import { useServer } from '@crewhall/testkit/test-server.ts'
import { whileLocked } from '@crewhall/testkit/while-locked.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { memberVerbs, type Team } from './member-verbs.ts'

const server = useServer('probe', {
  HTTP_RATE_LIMIT_PER_MINUTE: '0',
})
const world = new World(server)
const { newTeam, givePassword, emailOf } = memberVerbs(world)
const password = 'a password of some length'
const resetInstead = {
  status: 409,
  body: { detail: "Send a reset link instead of setting this person's password." },
}

/** A team whose member has an account, and another workspace that can let the member in. */
async function newPair(kind: 'board' | 'docs') {
  const [team, host] = [await newTeam(), await newTeam()]
  const { person_id } = team.member
  await givePassword(person_id)
  const email = await emailOf(person_id)
  const [path, body] =
    kind === 'docs'
      ? ['/api/v1/docs/spaces', { name: 'Plans' }]
      : ['/api/v1/board/boards', { name: 'Plans', key: 'PLANS' }]
  const { id } = (await world.call(host, 'POST', path, body)).body as { id: string }
  const guests = `${path}/${id}/guests`
  return {
    team,
    person_id,
    admit: () => world.call(host, 'POST', guests, { email, role: 'viewer' }),
    dismiss: () => world.call(host, 'DELETE', `${guests}/${person_id}`),
  }
}
const pathOf = ({ brand_id, member }: Team, prefix = '') =>
  `/api/v1${prefix}/brands/${brand_id}/members/${member.person_id}/set-password`
const set = (team: Team, prefix = '') => world.call(team, 'POST', pathOf(team, prefix), { password })

// Tells, at the commit of every new password, whether its owner is a guest anywhere.
beforeAll(async () => {
  const client = await server.connection('superuser')
  await client.query(`
    create table public.passwords_seen (person_id int not null, is_guest boolean not null);
    grant select, insert on public.passwords_seen to public;
    create function public.see_password() returns trigger language plpgsql as $$
    begin
      insert into public.passwords_seen values (new.person_id,
        boards.is_guest_elsewhere(new.person_id, 0) or docs_spaces.is_guest_elsewhere(new.person_id, 0));
      return null;
    end $$;
    create constraint trigger see_password after update on identity.passwords
      deferrable initially deferred for each row execute function public.see_password()`)
  await client.end()
})

describe.for(['board', 'docs'] as const)('the password of a guest of another workspace: %s', (kind) => {
  test('S2, MBR-G15: is not set, and nothing changes, until they are no guest any more', async () => {
    const { team, person_id, admit, dismiss } = await newPair(kind)
    const cookie = await world.newCookie(person_id, team.brand_id)
    expect((await admit()).status).toBe(201)
    expect(await set(team)).toEqual(resetInstead)
    const rows = await world.sql('select password_hash from identity.passwords where person_id = $1', [
      person_id,
    ])
    expect(rows).toEqual([{ password_hash: 'none' }])
    expect((await world.call({ cookie }, 'GET', '/api/v1/me')).status).toBe(200)
    expect((await dismiss()).status).toBe(200)
    expect((await set(team)).status).toBe(200)
  })

  test('S2, MBR-G15: is not set while they are being let in', async () => {
    const { team, admit } = await newPair(kind)
    const [admitted, answer] = await whileLocked(
      server.database.name,
      'lock table platform.audit_entries in exclusive mode',
      [admit, () => set(team)],
    )
    expect([admitted?.status, answer]).toEqual([201, resetInstead])
  })

  test.for([
    { side: 'the product', prefix: '', isSeen: false },
    { side: 'a naive twin', prefix: '/probe/naive', isSeen: true },
  ])('S2: is set before they are let in, or not at all, by $side', async ({ prefix, isSeen }) => {
    const { team, person_id, admit } = await newPair(kind)
    const [answer, admitted] = await whileLocked(
      server.database.name,
      `select 1 from identity.passwords where person_id = ${person_id} for update`,
      [() => set(team, prefix), admit],
    )
    expect([answer?.status, admitted?.status]).toEqual([200, 201])
    const seen = await world.sql('select is_guest from public.passwords_seen where person_id = $1', [
      person_id,
    ])
    expect(seen).toEqual([{ is_guest: isSeen }])
  })
})
