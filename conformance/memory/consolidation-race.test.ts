import { race } from '@crewhall/testkit/race.ts'
import { roundsFor } from '@crewhall/testkit/rounds.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { LearningWorkspace } from './consolidation-world.ts'

const server = useServer('probe')
let work: LearningWorkspace
beforeAll(async () => {
  work = await LearningWorkspace.open(server)
})

const clients = 50
const workers = 3
const rounds = roundsFor(50, 0.8)

/** Two memories with a tag, and so many that write the third at the same moment. */
const thirds = (isTwin: boolean, write: (bot: LearningWorkspace, title: string) => Promise<unknown>) =>
  race<LearningWorkspace>({
    rounds,
    isTwin,
    clients,
    async setup(round) {
      const bot = await work.withAgent(`${isTwin ? 'twin' : 'bot'}-${round}`)
      for (const title of ['First', 'Second']) await bot.learn(title, ['t'], isTwin ? { kind: 'fact' } : {})
      return bot
    },
    act: (bot, client) => write(bot, `Third of ${client}`),
    async verdict(bot, outcomes) {
      if (outcomes.some(({ status }) => status === 'rejected')) return 'a write failed'
      if (!isTwin) await bot.looked()
      const patterns = await bot.patterns()
      if (patterns.length !== 1) return `${patterns.length} patterns`
      if (isTwin) return undefined
      const { total_merged } = await bot.stats()
      const open = await bot.list({ kinds: 'learning', status: 'active' })
      const { evidence } = await bot.pattern()
      if (evidence.length !== total_merged || total_merged + open.length !== clients + 2)
        return `${evidence.length} in the pattern, ${total_merged} merged, ${open.length} active`
      return open.length < 3 ? undefined : `${open.length} were left`
    },
  })

test(`MEMO-68 C21: ${clients} writes of the third learning at once, ${workers} workers, ${rounds} rounds: exactly one pattern`, async () => {
  await Promise.all(Array.from({ length: workers }, () => server.start('worker')))
  const write = (bot: LearningWorkspace, title: string) => bot.learn(title, ['t'])
  expect(await thirds(false, write)).toEqual({ rounds, wrong: 0, examples: [] })
})

test('the same race finds a twin that counts and writes without a lock', async () => {
  const naive = async (bot: LearningWorkspace, title: string) => {
    await bot.learn(title, ['t'], { kind: 'fact' })
    await server.get('/api/v1/probe/memories/consolidate', {
      method: 'POST',
      headers: { authorization: `Bearer ${bot.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ agent_id: bot.agent, tag: 't' }),
    })
  }
  expect((await thirds(true, naive)).wrong).toBeGreaterThan(0)
})
