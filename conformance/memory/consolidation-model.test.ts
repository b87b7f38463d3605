import { failureModes, startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { useServer } from '@crewhall/testkit/test-server.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { LearningWorkspace } from './consolidation-world.ts'

const model = await startStandInModel()
const server = useServer('product')
let work: LearningWorkspace
beforeAll(async () => {
  work = await LearningWorkspace.open(server)
  const llm = { LLM_URL: model.url, LLM_MODEL: 'stand-in' }
  await Promise.all([server.start('worker', llm), server.start('worker', llm)])
})
const saying = {
  title: 'The tunnel and migrations come first',
  statement: 'We know that the tunnel must be open and migrations run.',
}
beforeEach(() => {
  model.reset()
  model.answer = () => saying
})
afterAll(() => model.close())

const titles = ['The tunnel must be open', 'Migrations run first', 'Tag 3 times before you release']
const lines = titles.map((title) => `- ${title}: What we know about ${title}.`).join('\n')
const plain = { title: `deploy: ${titles.join('; ')}`, body: lines }

test('M8: a model gives the pattern a headline and a statement, in one call; the sources stay word for word', async () => {
  const bot = await work.withAgent('good')
  await bot.learnAll(titles, ['deploy'])
  const pattern = await bot.pattern()
  expect(pattern.title).toBe(`${saying.title}: ${titles.join('; ')}`)
  expect(pattern.body).toBe(`${saying.statement}\n\n${lines}`)
  expect(model.calls.chat).toBe(1)
  const [prompt] = model.prompts
  expect(prompt?.user.split('\n')).toHaveLength(4)
  for (const id of pattern.evidence) expect(prompt?.user).not.toContain(id)
})

// Its answer has no ids that could be wrong.
const modes = failureModes.filter((mode) => mode !== 'unknown_ids')
test.for(modes)(
  'C21: with a model that fails by %s, the pattern is the same without its words',
  { timeout: 60_000 },
  async (mode) => {
    const bot = await work.withAgent(mode)
    model.mode = mode
    await bot.learnAll(titles, ['deploy'])
    const pattern = await bot.pattern()
    expect({ title: pattern.title, body: pattern.body }).toEqual(plain)
    expect(pattern.evidence).toHaveLength(3)
    expect(model.calls.chat).toBeLessThanOrEqual(1)
  },
)

test.for([
  ['a number that no source has', { ...saying, statement: 'We know that the tunnel must be open 4 times.' }],
  [
    'mostly words that no source has',
    { ...saying, statement: 'Always reboot whatever machine looks tired.' },
  ],
  ['too much', { ...saying, statement: 'We know about the tunnel. '.repeat(40) }],
  ['nothing', { title: ' ', statement: '' }],
] as const)('M8: a model that says %s is not heard', async ([name, answer]) => {
  const bot = await work.withAgent(name.replaceAll(' ', '-'))
  model.answer = () => answer
  await bot.learnAll(titles, ['deploy'])
  const pattern = await bot.pattern()
  expect({ title: pattern.title, body: pattern.body }).toEqual(plain)
})
