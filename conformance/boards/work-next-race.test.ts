import { race } from '@crewhall/testkit/race.ts'
import { scaled } from '@crewhall/testkit/rounds.ts'
import { useSharedServer } from '@crewhall/testkit/shared-server.ts'
import { bearer } from '@crewhall/testkit/world/call.ts'
import { expect, test } from 'vitest'
import { BoardWorkspace } from './board-workspace.ts'

const server = useSharedServer('probe')
const agents = 20
const cards = scaled(200, 60)
const rounds = scaled(5, 1)
const urgencies = ['urgent', 'high', 'medium', 'low', 'none']

interface Taken {
  readonly id: string
  readonly priority: string
}
type Next = (workspace: BoardWorkspace, worker: string) => Promise<Taken | undefined>

/** Cards of all priorities, mixed over five boards. */
async function filled() {
  const workspace = await BoardWorkspace.open(server)
  const ids: string[] = []
  for (let at = 0; at < 5; at += 1) {
    const board = await workspace.board()
    const operations = Array.from({ length: cards / 5 }, (_, n) => ({
      op: 'create',
      task: { title: `${n}`, priority: urgencies[(n * 3 + at) % 5] },
    }))
    const path = `/boards/${board.id}/tasks:batch`
    const made = await workspace.call<{ results: { task: { task_id: string } }[] }>('POST', path, {
      operations,
    })
    ids.push(...made.body.results.map(({ task }) => task.task_id))
  }
  return { workspace, ids }
}

const raceFor = (isTwin: boolean, next: Next) =>
  race({
    rounds,
    isTwin,
    clients: agents,
    setup: filled,
    async act({ workspace }, client) {
      const mine: Taken[] = []
      for (;;) {
        const taken = await next(workspace, `agent ${client}`)
        if (!taken) return mine
        mine.push(taken)
      }
    },
    async verdict({ ids }, outcomes) {
      const taken = outcomes.map((each) => {
        if (each.status === 'rejected') throw each.reason
        return each.value as Taken[]
      })
      const all = taken.flat().map(({ id }) => id)
      const twice = all.length - new Set(all).size
      const lost = ids.filter((id) => !all.includes(id)).length
      const disordered = taken.filter((mine) => {
        const order = mine.map(({ priority }) => urgencies.indexOf(priority))
        return order.some((urgency, at) => urgency < (order[at - 1] ?? 0))
      }).length
      const isRight = twice === 0 && lost === 0 && disordered === 0
      return isRight ? undefined : `${twice} given twice, ${lost} lost, ${disordered} agents out of order`
    },
  })

test(`${agents} agents over 5 boards get each of ${cards} cards once, the most urgent first, ${rounds} rounds`, {
  timeout: 600_000,
}, async () => {
  const result = await raceFor(false, async (workspace, worker) => {
    const { status, body } = await workspace.call<{
      claim: { task_id: string } | null
      context: { priority: string } | null
    }>('POST', '/work:next', { worker })
    if (status !== 200) throw new Error(`answered ${status}: ${JSON.stringify(body)}`)
    return body.claim && body.context
      ? { id: body.claim.task_id, priority: body.context.priority }
      : undefined
  })
  expect(result).toEqual({ rounds, wrong: 0, examples: [] })
})

test('a twin that looks and then takes gives cards to several', { timeout: 600_000 }, async () => {
  const result = await raceFor(true, async ({ token }) => {
    const init = { method: 'POST', headers: bearer(token) }
    const response = await server.get('/api/v1/probe/naive/work/next', init)
    const { task_id, priority } = (await response.json()) as { task_id: string | null; priority: string }
    return task_id === null ? undefined : { id: task_id, priority }
  })
  console.log(`naive twin: ${result.wrong} of ${result.rounds} rounds wrong, such as ${result.examples[0]}`)
  expect(result.wrong).toBeGreaterThan(0)
})
