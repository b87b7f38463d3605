import { useServer } from '@crewhall/testkit/test-server.ts'
import { beforeAll, expect, test } from 'vitest'
import { LearningWorkspace, type Merged } from './consolidation-world.ts'

const server = useServer('product')
let work: LearningWorkspace
beforeAll(async () => {
  work = await LearningWorkspace.open(server)
  await server.start('worker')
})

const lineOf = (title: string) => `- ${title}: What we know about ${title}.`
/** An agent with a pattern of three. */
async function merged(agent: string): Promise<{ bot: LearningWorkspace; pattern: Merged }> {
  const bot = await work.withAgent(agent)
  await bot.learnAll(['Axolotl', 'Bison', 'Cheetah'], ['t'])
  return { bot, pattern: await bot.pattern() }
}
const lines = async (bot: LearningWorkspace) => (await bot.pattern()).body.split('\n')

test('a source that is deleted leaves the pattern, and comes back when it is restored', async () => {
  const { bot, pattern } = await merged('deleted')
  const [axolotl] = pattern.evidence as [string]
  await bot.call('DELETE', `/memories/${axolotl}`)
  expect(await lines(bot)).toEqual([lineOf('Bison'), lineOf('Cheetah')])
  expect(await bot.titles({ query: 'axolotl' })).toEqual([])
  expect((await bot.changes(pattern.id))[0]).toMatchObject({
    action: 'updated',
    reason: 'A source has changed',
  })
  await bot.call('POST', `/memories/${axolotl}/restore`, { version: 2 })
  expect(await lines(bot)).toHaveLength(3)
  expect(await bot.titles({ query: 'axolotl' })).toHaveLength(1)
})

test('a source that is corrected is corrected in the pattern', async () => {
  const { bot, pattern } = await merged('corrected')
  await bot.change(pattern.evidence[1] as string, { title: 'Buffalo', body: 'Not a bison.' })
  expect(await lines(bot)).toEqual([lineOf('Axolotl'), '- Buffalo: Not a bison.', lineOf('Cheetah')])
  expect((await bot.pattern()).title).toBe('t: Axolotl; Buffalo; Cheetah')
})

test('a source that is made active again leaves the pattern, and the last one leaves it archived', async () => {
  const { bot, pattern } = await merged('returned')
  const [one, two, three] = pattern.evidence as [string, string, string]
  await bot.change(one, { status: 'active' })
  expect(await lines(bot)).toEqual([lineOf('Bison'), lineOf('Cheetah')])
  for (const id of [two, three]) await bot.change(id, { status: 'active' })
  await bot.looked()
  expect((await bot.get(pattern.id)).status).toBe('archived')
  expect(await bot.stats()).toMatchObject({ total_active: 3, total_archived: 1, total_merged: 0 })
})

test('a pattern that a person has edited stays as it is', async () => {
  const { bot, pattern } = await merged('edited')
  await bot.change(pattern.id, { body: 'In my own words.' })
  const { version } = await bot.get(pattern.id)
  await bot.call('DELETE', `/memories/${pattern.evidence[0]}`)
  expect(await bot.pattern()).toMatchObject({ version, body: 'In my own words.' })
})
