import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { type Profile, type ProfileChange, ProfileWorkspace } from './profile-workspace.ts'

const server = useSharedServer('probe')
let workspace: ProfileWorkspace
beforeAll(async () => {
  workspace = await ProfileWorkspace.open(server)
})

const key = 'claude.hard'
const clients = 50
const rounds = roundsFor(200, 0.4)

interface Round {
  /** Newest record before the round. */
  readonly since: number
  readonly target: { readonly effort: string; readonly limit_value: number }
}

/** Half of the clients set one field and half the other; then both must hold, with a record for each change. */
const run = (change: (body: unknown) => Promise<{ status: number }>) =>
  race<Round>({
    rounds,
    clients,
    async setup(round) {
      const [newest] = await workspace.history(key, '?limit=1')
      const effort = round % 2 === 0 ? 'low' : 'high'
      return { since: newest?.id ?? 0, target: { effort, limit_value: 1 + (round % 399) } }
    },
    act: ({ target }, client) =>
      change(client % 2 === 0 ? { effort: target.effort } : { limit_value: target.limit_value }),
    async verdict({ since, target }, outcomes) {
      const failed = outcomes.filter((each) => each.status === 'rejected' || !isDone(each.value))
      if (failed.length > 0) return `${failed.length} changes were refused`
      const held = await workspace.read(key)
      const added = (await workspace.history(key, '?limit=100')).filter(({ id }) => id > since)
      return faultOf(held, added, target)
    },
  })

const isDone = (outcome: unknown): boolean => (outcome as { status: number }).status === 200

function faultOf(held: Profile, added: ProfileChange[], target: Round['target']): string | undefined {
  if (held.effort !== target.effort) return `effort is ${held.effort}, not ${target.effort}`
  if (held.limits.max_turns !== target.limit_value) return `the limit is ${held.limits.max_turns}`
  const fields = added.map(({ field }) => field).sort()
  return String(fields) === 'effort,limit_value' ? undefined : `records: ${fields}`
}

test(`50 changes at once of two fields, ${rounds} rounds: both hold, with one record for each real change`, async () => {
  const result = await run((body) => workspace.put(key, body))
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
  const records = await workspace.history(key)
  expect(records).toHaveLength(2 * rounds)
  expect(chainFaults(records)).toEqual([])
})

/** Each record of a field begins where the one before it ended. */
function chainFaults(newestFirst: readonly ProfileChange[]): string[] {
  const at = new Map<string, string | null>()
  return [...newestFirst].reverse().flatMap(({ id, field, old_value, new_value }) => {
    const before = at.get(field) ?? null
    at.set(field, new_value)
    return before === old_value ? [] : [`${id}: ${field} was ${before}, not ${old_value}`]
  })
}

test('the same race finds a twin that reads, merges and writes without a lock', async () => {
  const path = `/api/v1/probe/profiles/${key}/naive`
  const result = await run((body) => workspace.call('PUT', path, body))
  expect(result.wrong).toBeGreaterThan(0)
})
