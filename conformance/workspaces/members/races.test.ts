import { json, newEmail } from '@crewhall/testkit/people.ts'
import { type RaceResult, race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { linkTo } from './invitation-links.ts'
import { memberVerbs } from './member-verbs.ts'

const server = useServer('probe', { HTTP_RATE_LIMIT_PER_MINUTE: '0' })
const world = new World(server)
const { newTeam, givePassword, emailOf } = memberVerbs(world)
const limitMs = 240_000
const sides = [
  { side: 'the product', prefix: '/api/v1', isRight: true },
  { side: 'a naive twin', prefix: '/api/v1/probe/naive', isRight: false },
]

type By = { readonly token: string } | { readonly cookie: string }
const headersOf = (by: By): Record<string, string> =>
  'token' in by ? { authorization: `Bearer ${by.token}` } : { cookie: by.cookie }
async function statusOf(method: string, path: string, by: By, body?: object): Promise<number> {
  const init = body ? json(body, headersOf(by)) : { headers: headersOf(by) }
  const response = await server.get(path, { ...init, method })
  await response.text()
  return response.status
}
const values = (outcomes: readonly PromiseSettledResult<unknown>[]): number[] =>
  outcomes.map((each) => (each.status === 'fulfilled' ? Number(each.value) : 0))
const activeCount = async (brand_id: number, where: string, ...more: unknown[]): Promise<number> => {
  const [row] = await world.sql<{ count: number }>(
    `select count(*)::int as count from identity.memberships where brand_id = $1 and status = 'active' and ${where}`,
    [brand_id, ...more],
  )
  return row?.count ?? 0
}

/** A correct side is right every time; a twin that is never wrong would mean that nobody ever met. */
function judge(isRight: boolean, { rounds, wrong, examples }: RaceResult) {
  if (isRight) expect(examples).toEqual([])
  else expect(wrong).toBeGreaterThan(0)
  console.log(`${wrong} of ${rounds} rounds were wrong`)
}

describe.for([2, 3])('MBR-08: %d admins who make each other members leave an admin', (count) => {
  test.for(sides)('on the side of $side', { timeout: limitMs }, async ({ prefix, isRight }) => {
    const result = await race({
      rounds: roundsFor(200, 0.5),
      isTwin: !isRight,
      clients: count,
      async setup() {
        const brand_id = await world.newBrand()
        const people = Array.from({ length: count }, () => world.join(brand_id, 'admin'))
        const admins = await Promise.all(people)
        const tokens = await Promise.all(admins.map((admin) => world.newToken(admin, ['brand:admin'])))
        return { brand_id, admins, tokens }
      },
      act({ brand_id, admins, tokens }, client) {
        const target = admins[(client + 1) % count]?.person_id
        const path = `${prefix}/brands/${brand_id}/members/${target}`
        const by = { token: tokens[client] ?? '' }
        return isRight
          ? statusOf('PATCH', path, by, { role: 'member' })
          : statusOf('POST', `${path}/demote`, by)
      },
      async verdict({ brand_id }, outcomes) {
        const statuses = values(outcomes)
        const admins = await activeCount(brand_id, `role = 'admin'`)
        const demoted = statuses.filter((status) => status === 200).length
        if (admins === 0) return `no admin is left after ${statuses}`
        if (admins !== count - demoted) return `${admins} admins are left after ${statuses}`
        const known = statuses.every((status) => [200, 403, 409].includes(status))
        return known ? undefined : `the answers were ${statuses}`
      },
    })
    judge(isRight, result)
  })
})

describe('two admins who remove each other leave an admin', () => {
  test('on the side of the product', { timeout: limitMs }, async () => {
    const result = await race({
      rounds: roundsFor(200, 0.5),
      clients: 2,
      async setup() {
        const team = await newTeam()
        const other = await world.join(team.brand_id, 'admin')
        const tokens = [team.token, await world.newToken(other, ['brand:admin'])]
        return { brand_id: team.brand_id, tokens, targets: [other.person_id, team.admin.person_id] }
      },
      act: ({ brand_id, tokens, targets }, client) =>
        statusOf('DELETE', `/api/v1/brands/${brand_id}/members/${targets[client]}`, {
          token: tokens[client] ?? '',
        }),
      async verdict({ brand_id }, outcomes) {
        const admins = await activeCount(brand_id, `role = 'admin'`)
        return admins === 1 ? undefined : `${admins} admins are left after ${values(outcomes)}`
      },
    })
    judge(true, result)
  })
})

describe('GST-16: an address that two admins invite at once has one invitation', () => {
  test.for(sides)('on the side of $side', { timeout: limitMs }, async ({ prefix, isRight }) => {
    // The index is what the product stands on. A twin that looks first has to do without it.
    if (!isRight) await asOwner('drop index workspaces.invitations_pending_email')
    const result = await race({
      rounds: roundsFor(200, 0.5),
      isTwin: !isRight,
      clients: 3,
      setup: async () => ({ team: await newTeam(), email: newEmail() }),
      act: ({ team, email }, client) =>
        statusOf('POST', `${prefix}/brands/${team.brand_id}/invitations`, team, {
          email: isRight && client === 1 ? email.toUpperCase() : email,
        }),
      async verdict({ team, email }, outcomes) {
        const rows = await world.sql(
          `select id from workspaces.invitations where brand_id = $1 and email = $2 and status = 'pending'`,
          [team.brand_id, email],
        )
        const statuses = values(outcomes).sort().join()
        if (rows.length !== 1) return `${rows.length} invitations are pending`
        return statuses === '201,400,400' ? undefined : `the answers were ${statuses}`
      },
    })
    if (!isRight) {
      await asOwner(`delete from workspaces.invitations`)
      await asOwner(
        `create unique index invitations_pending_email on workspaces.invitations (brand_id, email) where status = 'pending'`,
      )
    }
    judge(isRight, result)
  })
})

async function asOwner(sql: string): Promise<void> {
  const client = await server.connection('superuser')
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** Somebody with an account and a link to the workspace. */
async function newInvitee(brand_id: number, person_id: number) {
  const [row] = await world.sql<{ id: number }>(
    `insert into workspaces.invitations (brand_id, email, role, expires_at)
     values ($1, $2, 'member', now() + interval '1 day') returning id`,
    [brand_id, await emailOf(person_id)],
  )
  const id = row?.id ?? 0
  const cookie = await world.newCookie(person_id, null)
  return { id, person_id, cookie, secret: await linkTo(world, id) }
}

describe('an invitation that is taken back while it is accepted is either', () => {
  test.for(sides)('on the side of $side', { timeout: limitMs }, async ({ prefix, isRight }) => {
    const result = await race({
      rounds: roundsFor(200, 0.15),
      isTwin: !isRight,
      clients: 2,
      async setup(round) {
        const team = await newTeam()
        return { team, round, invitee: await newInvitee(team.brand_id, await world.newPerson()) }
      },
      async act({ team, invitee, round }, client) {
        if (client === 0)
          return statusOf('POST', `${prefix}/invitations/accept`, invitee, { token: invitee.secret })
        // Accepting takes longer; the later the other starts, the later it meets it.
        for (let wait = 0; wait < round % 4; wait += 1) await statusOf('GET', '/api/v1/me', invitee)
        return statusOf('DELETE', `/api/v1/brands/${team.brand_id}/invitations/${invitee.id}`, team)
      },
      async verdict({ team, invitee }, outcomes) {
        const [accepted, revoked] = values(outcomes)
        const members = await activeCount(team.brand_id, 'person_id = $2', invitee.person_id)
        const told = `accepting answered ${accepted}, taking back ${revoked}, and there are ${members} members`
        const isWhole =
          (accepted === 200 && revoked === 404 && members === 1) ||
          (accepted === 400 && revoked === 200 && members === 0)
        return isWhole ? undefined : told
      },
    })
    judge(isRight, result)
  })
})

describe('MBR-26: a password is set for nobody who is in two workspaces by then', () => {
  // Tells, at the commit of every new password, in how many workspaces its owner is.
  beforeAll(() =>
    asOwner(`
      create table public.passwords_seen (person_id int not null, workspaces int not null);
      grant select, insert on public.passwords_seen to public;
      create function public.see_password() returns trigger language plpgsql as $$
      begin
        insert into public.passwords_seen values (new.person_id, identity.count_workspaces(new.person_id));
        return null;
      end $$;
      create constraint trigger see_password after update on identity.passwords
        deferrable initially deferred for each row execute function public.see_password()`),
  )

  test.for(sides)('on the side of $side', { timeout: limitMs }, async ({ prefix, isRight }) => {
    const tally = new Map<string, number>()
    const result = await race({
      rounds: roundsFor(200, 0.25),
      isTwin: !isRight,
      clients: 2,
      async setup(round) {
        const team = await newTeam()
        const { person_id } = team.member
        await givePassword(person_id)
        const invitee = await newInvitee(await world.newBrand(), person_id)
        return { team, round, person_id, invitee }
      },
      async act({ team, invitee, person_id, round }, client) {
        const path = `${prefix}/brands/${team.brand_id}/members/${person_id}/set-password`
        if (client === 0) return statusOf('POST', path, team, { password: 'a new password' })
        // Hashing takes as long as several requests; the other meets it sooner or later.
        for (let wait = 0; wait < (round % 16) * 2; wait += 1) await statusOf('GET', '/api/v1/me', team)
        return statusOf('POST', '/api/v1/invitations/accept', invitee, { token: invitee.secret })
      },
      async verdict({ person_id }, outcomes) {
        const [set = 0, accepted = 0] = values(outcomes)
        const both = `set ${set}, joined ${accepted}`
        tally.set(both, (tally.get(both) ?? 0) + 1)
        const seen = await world.sql<{ workspaces: number }>(
          'select workspaces from public.passwords_seen where person_id = $1',
          [person_id],
        )
        // A password that came first has ended the session that would have joined.
        if (accepted !== 200 && !(accepted === 401 && set === 200)) return `joining answered ${accepted}`
        if (seen.some(({ workspaces }) => workspaces > 1)) return 'set for somebody in two workspaces'
        return (set === 200 && seen.length === 1) || (set === 409 && seen.length === 0)
          ? undefined
          : `setting answered ${set}, and ${seen.length} passwords were written`
      },
    })
    console.log(JSON.stringify(Object.fromEntries(tally)))
    // Both must have been first at times, or the two never came near each other.
    if (isRight) expect([...tally.keys()]).toEqual(expect.arrayContaining(['set 409, joined 200']))
    if (isRight) expect([...tally.keys()].some((each) => each.startsWith('set 200'))).toBe(true)
    judge(isRight, result)
  })
})
