import { DeskCaller } from '@crewhall/testkit/desk-caller.ts'
import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { type Answer, call } from '@crewhall/testkit/world/call.ts'
import { beforeAll, expect, test } from 'vitest'
import { join } from './desk-agent.ts'
import { DeskWorkspace } from './desk-workspace.ts'

const server = useServer('probe', { DESK_NETWORKS: '127.0.0.0/8' })
const rounds = roundsFor(200, 0.4)
let at: DeskWorkspace
beforeAll(async () => {
  at = await DeskWorkspace.open(server, 100_000)
})

type Act = (desk: DeskCaller) => Promise<Answer>

/** Two machines with one token at once. */
const joins = (act: Act, isTwin: boolean) =>
  race<readonly DeskCaller[]>({
    rounds,
    isTwin,
    clients: 2,
    async setup() {
      const { workstation_id, pat } = await at.ordered()
      return [new DeskCaller(workstation_id, pat), new DeskCaller(workstation_id, pat)]
    },
    act: (desks, client) => act(desks[client] as DeskCaller),
    async verdict(desks, outcomes) {
      const statuses = outcomes.map((each) =>
        each.status === 'fulfilled' ? (each.value as Answer).status : String(each.reason),
      )
      const [row] = await at.world.sql<{ key_fingerprint: string }>(
        'select key_fingerprint from fleet.join_secrets where brand_id = $1 and desk_id = $2',
        [at.brand_id, desks[0]?.desk_id],
      )
      const winner = desks[statuses.indexOf(200)]
      return statuses.toSorted().join() === '200,409' && row?.key_fingerprint === winner?.fingerprint
        ? undefined
        : `answered ${statuses}`
    },
  })

test(`check 7: of two machines that join with one token at once, one does, in ${rounds} rounds`, async () => {
  const result = await joins((desk) => join(server.get, desk), false)
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race lets both in where the token is looked up without a lock', async () => {
  const { wrong, rounds } = await joins(
    ({ desk_id, fingerprint }) =>
      call(server.get, { cookie: at.cookie }, 'POST', `/api/v1/probe/workstations/${desk_id}/join`, {
        fingerprint,
      }),
    true,
  )
  console.log(`naive twin: wrong in ${wrong} of ${rounds} rounds`)
  expect(wrong).toBeGreaterThan(0)
})
