import { type SignedUp, signUp } from '@crewhall/testkit/people.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { describe, expect, test } from 'vitest'
import { adminEnv, adminVerbs } from './admin-verbs.ts'

const server = useServer('product', adminEnv)
const { get, ask, onlyStaff } = adminVerbs(server)
const prove = ({ person_id }: SignedUp) =>
  server.sql('update identity.people set email_verified = true where id = $1', [person_id])
const countStaff = async () => (await server.sql('select 1 from identity.people where is_staff')).length

describe('platform admins', () => {
  test('a person becomes a platform admin, and asking twice is the same as once', async () => {
    const ann = await signUp(get)
    await prove(ann)
    const answer = { status: 200, body: { person_id: ann.person_id, is_staff: true } }
    expect(await ask('PUT', `/staff/${ann.person_id}`)).toEqual(answer)
    expect(await ask('PUT', `/staff/${ann.person_id}`)).toEqual(answer)
    expect((await ask('GET', '/plans', undefined, { cookie: ann.cookie })).status).toBe(200)
  })

  test('S1: nobody becomes a platform admin with an address that they have not proven', async () => {
    const ann = await signUp(get)
    const before = await countStaff()
    const unproven = { detail: 'The owner of this e-mail address has not confirmed it yet' }
    expect(await ask('PUT', `/staff/${ann.person_id}`)).toEqual({ status: 409, body: unproven })
    expect(await countStaff()).toBe(before)
    expect((await ask('GET', '/plans', undefined, { cookie: ann.cookie })).status).toBe(403)
    await prove(ann)
    expect((await ask('PUT', `/staff/${ann.person_id}`)).status).toBe(200)
  })

  test('the last platform admin cannot be removed, not even by the key', async () => {
    const ann = await signUp(get)
    await onlyStaff(ann)
    const last = { status: 409, body: { detail: 'The last platform admin cannot be removed' } }
    expect(await ask('DELETE', `/staff/${ann.person_id}`)).toEqual(last)
    expect(await ask('DELETE', `/staff/${ann.person_id}`, undefined, { cookie: ann.cookie })).toEqual(last)
    expect(await countStaff()).toBe(1)
  })

  test('removing somebody who is no platform admin changes nothing', async () => {
    const [ann, bob] = [await signUp(get), await signUp(get)]
    await onlyStaff(ann)
    const answer = await ask('DELETE', `/staff/${bob.person_id}`)
    expect(answer).toEqual({ status: 200, body: { person_id: bob.person_id, is_staff: false } })
    expect(await countStaff()).toBe(1)
  })

  test.each(['PUT', 'DELETE'])('%s of a person who does not exist is 404', async (method) => {
    for (const id of ['2147483647', '2147483648', '0', 'x']) {
      const answer = await ask(method, `/staff/${id}`)
      expect([id, answer]).toEqual([id, { status: 404, body: { detail: 'Person not found' } }])
    }
  })
})

describe('two removals at once', () => {
  const rounds = roundsFor(50, 0.25)
  const statusesOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
    outcomes.map((each) => (each.status === 'fulfilled' ? each.value : String(each.reason))).sort()
  const verdict =
    (allowed: readonly string[]) =>
    async (_: unknown, outcomes: readonly PromiseSettledResult<unknown>[]) => {
      const [left, seen] = [await countStaff(), statusesOf(outcomes).join()]
      return left === 1 && allowed.includes(seen) ? undefined : `${left} left after ${seen}`
    }

  test('two platform admins who remove each other leave one, and the removed one is refused', async () => {
    const pair = [await signUp(get), await signUp(get)] as const
    const result = await race({
      rounds,
      clients: 2,
      setup: () => onlyStaff(...pair),
      act: async (_, client) => {
        const [me, other] = client === 0 ? pair : [pair[1], pair[0]]
        return (await ask('DELETE', `/staff/${other.person_id}`, undefined, { cookie: me.cookie })).status
      },
      verdict: verdict(['200,403']),
    })
    expect(result).toEqual({ rounds, wrong: 0, examples: [] })
  })

  test('two uses of the key that remove both platform admins leave one', async () => {
    const pair = [await signUp(get), await signUp(get)] as const
    const result = await race({
      rounds,
      clients: 2,
      setup: () => onlyStaff(...pair),
      act: async (_, client) =>
        (await ask('DELETE', `/staff/${pair[client === 0 ? 0 : 1].person_id}`)).status,
      verdict: verdict(['200,409']),
    })
    expect(result).toEqual({ rounds, wrong: 0, examples: [] })
  })

  test('the same race is lost by a server that counts without a lock', async () => {
    const pair = [await signUp(get), await signUp(get)] as const
    const [one, two] = [await server.connection('application'), await server.connection('application')]
    const result = await race({
      rounds,
      isTwin: true,
      clients: 2,
      setup: () => onlyStaff(...pair),
      act: async (_, client) => {
        const [line, target] = client === 0 ? ([one, pair[1]] as const) : ([two, pair[0]] as const)
        await line.query('begin')
        const { rows } = await line.query('select id from identity.people where is_staff')
        const allowed = rows.length > 1
        if (allowed)
          await line.query('update identity.people set is_staff = false where id = $1', [target.person_id])
        await line.query('commit')
        return allowed ? 200 : 409
      },
      verdict: verdict(['200,409']),
    })
    expect(result.wrong).toBeGreaterThan(0)
  })
})
