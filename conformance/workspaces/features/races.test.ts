import { randomBytes } from 'node:crypto'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { World } from '@crewhall/testkit/world/world.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Admin, adminEnv, featureVerbs } from './feature-verbs.ts'

const server = useServer('probe', adminEnv)
const at = new World(server)
const { newAdmin, join, read, put, operate } = featureVerbs(at)
/** The twins lose one round of ten, and one of seven. */
const rounds = roundsFor(200, 0.05)

interface NaiveSwitch {
  readonly on: boolean
  readonly locked_by_plan: boolean
  readonly changed_by: number | null
}
const naivePath = ({ brand_id }: Admin, key: string) =>
  `/api/v1/probe/naive/brands/${brand_id}/features/${key}`
const naive = (admin: Admin, key: string, on?: boolean) =>
  at.call<NaiveSwitch>(
    admin,
    on === undefined ? 'GET' : 'PUT',
    naivePath(admin, key),
    on === undefined ? undefined : { on },
  )

describe('two admins set one switch at once, one on and one off', () => {
  interface Pair {
    readonly admins: readonly [Admin, Admin]
  }
  const setup = async (): Promise<Pair> => {
    const ann = await newAdmin()
    return { admins: [ann, await join(ann.brand_id)] }
  }
  /** The first says on, the second off: whoever is named must have said what is stored. */
  const faultOf = ({ admins }: Pair, on: boolean, changed_by: number | undefined | null) => {
    const author = admins[on ? 0 : 1].person_id
    return changed_by === author ? undefined : `on is ${on}, and ${changed_by} is named, not ${author}`
  }

  test('FEAT-G9: the stored value is always that of the admin who is named', async () => {
    const result = await race<Pair>({
      rounds,
      clients: 2,
      setup,
      act: ({ admins }, client) => put(admins[client as 0 | 1], 'feed', { on: client === 0 }),
      async verdict(pair, outcomes) {
        const answers = outcomes.map((each) => (each.status === 'fulfilled' ? each.value : undefined))
        if (answers.some((answer) => (answer as { status: number } | undefined)?.status !== 200))
          return `refused: ${JSON.stringify(outcomes)}`
        const { on, changed_by } = (await read(pair.admins[0])).body.switches.feed
        return faultOf(pair, on, changed_by?.user_id)
      },
    })
    expect(result).toEqual({ rounds, wrong: 0, examples: [] })
  })

  test('a twin that writes value and author in two statements mixes them up', async () => {
    const result = await race<Pair>({
      rounds,
      isTwin: true,
      clients: 2,
      setup,
      act: ({ admins }, client) => naive(admins[client as 0 | 1], 'feed', client === 0),
      async verdict(pair) {
        const { on, changed_by } = (await naive(pair.admins[0], 'feed')).body
        return faultOf(pair, on, changed_by)
      },
    })
    expect(result.wrong).toBeGreaterThan(0)
  })
})

describe('an admin turns a feature on while the operator takes it out of the plan', () => {
  interface Meeting {
    readonly admin: Admin
    readonly take: () => Promise<void>
  }
  // Notes when a plan was taken, by the clock that also tells when a switch was set.
  beforeAll(async () => {
    const owner = await server.connection('owner')
    await owner.query(`
      create table probe.taken (brand_id int, plan_key text, at timestamptz not null default clock_timestamp());
      grant all on probe.taken to public;
      create function probe.note_taken() returns trigger language plpgsql as $$
      begin
        insert into probe.taken (brand_id, plan_key)
        select (to_jsonb(old) ->> 'id')::int, coalesce(to_jsonb(old) ->> 'plan_key', to_jsonb(old) ->> 'key');
        return null;
      end $$;
      create trigger note_taken after update of plan_key on identity.brands
        for each row execute function probe.note_taken();
      create trigger note_taken after update of features on identity.plans
        for each row execute function probe.note_taken()`)
    await owner.end()
  })
  const plan = { name: 'Passing', desk_cap: 1, source_cap: 1 }
  /** By moving the workspace to another plan, and by changing the plan it is on, in turns. */
  const setup = async (round: number): Promise<Meeting> => {
    const key = `passing_${round}_${randomBytes(3).toString('hex')}`
    await at.sql(
      `insert into identity.plans (key, name, features, desk_cap, source_cap) values ($1, 'Passing', '{crm}', 1, 1)`,
      [key],
    )
    const admin = await newAdmin(key)
    // Who comes first is a matter of luck; a few steps before the operator acts give both a chance.
    const steps = Math.floor(round / 2) % 6
    const take = async () => {
      for (let step = 0; step < steps; step += 1) await (await server.get('/api/v1/system/info')).text()
      if (round % 2 === 0) await operate(`/brands/${admin.brand_id}/plan`, { plan_key: 'free' })
      else await operate(`/plans/${key}`, { ...plan, features: [] })
    }
    return { admin, take }
  }
  const answerOf = <T>([outcome]: readonly PromiseSettledResult<unknown>[]) =>
    (outcome?.status === 'fulfilled' ? outcome.value : {}) as T
  const seen = { 200: 0, 409: 0 }

  test('FEAT-22, FEAT-23: a 200 came before the plan was changed, a 409 leaves no trace, and nothing is on and locked', async () => {
    const result = await race<Meeting>({
      rounds,
      clients: 2,
      setup,
      act: ({ admin, take }, client) => (client === 0 ? put(admin, 'crm', { on: true }) : take()),
      async verdict({ admin }, outcomes) {
        if (outcomes.some((each) => each.status === 'rejected')) return JSON.stringify(outcomes)
        const { status, body } = answerOf<Awaited<ReturnType<typeof put>>>(outcomes)
        const { crm } = (await read(admin)).body.switches
        if (crm.on || !crm.locked_by_plan) return `left ${JSON.stringify(crm)}`
        const [facts] = await at.sql<{ entries: number; is_after: boolean | null }>(
          `select (select count(*)::int from platform.audit_entries
                   where brand_id = b.id and action = 'feature.changed') as entries,
             (select s.changed_at > max(t.at) from workspaces.feature_switches s, probe.taken t
              where s.brand_id = b.id and (t.brand_id = b.id or t.plan_key = b.plan_key)
              group by s.changed_at) as is_after
           from identity.brands b where id = $1`,
          [admin.brand_id],
        )
        if (status === 409) {
          seen[409] += 1
          const is_traceless =
            crm.source === 'plan_default' && crm.changed_by === null && facts?.entries === 0
          return is_traceless ? undefined : `409 left ${JSON.stringify([crm, facts])}`
        }
        seen[200] += 1
        const told = body.switches.crm
        const is_open = status === 200 && told.on && !told.locked_by_plan
        return is_open && facts?.entries === 1 && facts.is_after === false
          ? undefined
          : `${status} told ${JSON.stringify([told, facts])}`
      },
    })
    expect(result).toEqual({ rounds, wrong: 0, examples: [] })
    // Both orders were met, or the race was none.
    expect(Math.min(seen[200], seen[409])).toBeGreaterThan(0)
  })

  test('a twin that looks at the plan without a lock turns on what the plan has lost', async () => {
    const result = await race<Meeting>({
      rounds,
      isTwin: true,
      clients: 2,
      setup,
      act: ({ admin, take }, client) => (client === 0 ? naive(admin, 'crm', true) : take()),
      async verdict(_, outcomes) {
        const { status, body } = answerOf<Awaited<ReturnType<typeof naive>>>(outcomes)
        return status === 409 || body.on ? undefined : `${status} told ${JSON.stringify(body)}`
      },
    })
    expect(result.wrong).toBeGreaterThan(0)
  })
})
