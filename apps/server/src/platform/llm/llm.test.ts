import { Writable } from 'node:stream'
import { type StandInModel, startStandInModel } from '@crewhall/testkit/stand-in-model.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { createLlm, type LlmOptions, type Question } from '#platform/llm/llm.ts'
import { createLog } from '#platform/log/log.ts'
import { createMetrics } from '#platform/metrics/metrics.ts'

const outside = { is_outside: true } as const
const outage = (reason: string) => ({ name: 'Outage', part: 'model', reason })
const key = 'sk-a-key-that-nobody-may-see'
const schema = z.object({ ids: z.array(z.int()) })
type Ids = z.output<typeof schema>

let model: StandInModel
beforeAll(async () => {
  model = await startStandInModel()
})
beforeEach(() => {
  model.reset()
  model.answer = () => ({ ids: [2, 1, 3] })
})
afterAll(() => model.close())

function llm(changes: Partial<LlmOptions> = {}) {
  const lines: string[] = []
  const destination = new Writable({
    write(line, _, done) {
      lines.push(String(line))
      done()
    },
  })
  const metrics = createMetrics()
  const options: LlmOptions = {
    url: model.url,
    api_key: key,
    model: 'stand-in',
    format: 'json_schema',
    token_limit_field: 'max_tokens',
    temperature: undefined,
    concurrency: 4,
    ...changes,
  }
  const made = createLlm(options, createLog({ level: 'debug', process_name: 'test', destination }), metrics)
  const ask = (more: Partial<Question<Ids>> = {}) =>
    made.ask(outside, {
      purpose: 'test',
      owner: '1',
      system: 'Order the notes.',
      prompt: 'a prompt that nobody may see',
      answer: { name: 'order', schema },
      budget_ms: 30_000,
      retries: 0,
      max_tokens: 100,
      ...more,
    })
  return { ask, metrics, lines, isAway: () => made.is_away }
}

test('a good answer is read, and its tokens are counted', async () => {
  const { ask, metrics } = llm()
  const tokens = { prompt: 11, completion: 4 }
  expect(await ask()).toEqual({ answer: { ids: [2, 1, 3] }, model: 'stand-in', tokens })
  expect(model.tokens).toEqual(tokens)
  expect(await metrics.registry.metrics()).toContain(
    'crewhall_model_tokens_total{part="model",purpose="test",direction="out"} 4',
  )
})

test.for([
  ['json_schema', 'json_schema'],
  ['json_object', 'json_object'],
  ['prompt', undefined],
] as const)('%s: the request asks for JSON in the way that the server knows', async ([format, type]) => {
  const { ask } = llm({ format, token_limit_field: 'max_completion_tokens', temperature: 0 })
  expect((await ask()).answer.ids).toEqual([2, 1, 3])
  const [body] = model.bodies as { response_format?: { type: string } }[]
  expect(body?.response_format?.type).toBe(type)
  expect(body).toMatchObject({ model: 'stand-in', max_completion_tokens: 100, temperature: 0 })
  expect(model.prompts[0]?.system.includes('JSON Schema')).toBe(format !== 'json_schema')
})

test.for([
  ['bad_json', 'bad_answer'],
  ['thought_prefix', 'bad_answer'],
  ['truncated', 'bad_answer'],
  ['injection_echo', 'bad_answer'],
  ['huge', 'bad_answer'],
  ['rate_limited', 'overloaded'],
  ['error', 'unreachable'],
  ['hang', 'timeout'],
  ['drip', 'timeout'],
] as const)(
  'a model that fails by %s is an outage: %s, after one call and without a trace',
  async ([mode, reason]) => {
    const { ask, lines, metrics } = llm()
    model.mode = mode
    const failed = await ask(reason === 'timeout' ? { budget_ms: 500 } : {}).catch((error: unknown) => error)
    expect(failed).toMatchObject(outage(reason))
    expect(model.calls.chat).toBe(1)
    const told = [failed, (failed as Error).cause, (failed as Error).stack, ...lines].map(String).join('\n')
    expect(told).not.toContain('nobody may see')
    expect(told).not.toContain(key)
    expect(await metrics.registry.metrics()).toContain(
      `crewhall_model_seconds_count{part="model",purpose="test",outcome="${reason}"} 1`,
    )
    await waitFor(() => ['huge', 'hang', 'drip'].includes(mode) === false || model.open() === 0, 30_000)
  },
)

test('ids that nobody gave out match the shape, so callers have to check them', async () => {
  model.mode = 'unknown_ids'
  expect((await llm().ask()).answer.ids).toEqual([1_000_002, 1_000_001, 1_000_003])
})

test.for([
  ['thoughts', '<think>{"ids":[9]}</think>\n{"ids":[1]}'],
  ['a fence', '```json\n{"ids":[1]}\n```'],
  ['both', '<thought>hm</thought>\n```\n{"ids":[1]}\n```\n'],
] as const)('asked in words alone, %s around the JSON are taken off', async ([, text]) => {
  model.answer = () => text
  expect((await llm({ format: 'prompt' }).ask()).answer.ids).toEqual([1])
  await expect(llm().ask()).rejects.toMatchObject(outage('bad_answer'))
})

test.for([{ ids: ['a'] }, { ids: null }, [], 'null', { ids: [1.5] }])(
  'an answer of another shape (%j) is a bad one',
  async (answer) => {
    model.answer = () => answer
    await expect(llm().ask()).rejects.toMatchObject(outage('bad_answer'))
  },
)

test('each call is told of, also one that failed', async () => {
  model.next = ['error', 'bad_json']
  const spent: unknown[] = []
  await llm().ask({ retries: 2, spent: (tokens) => spent.push(tokens) })
  expect(spent).toEqual([
    { prompt: 0, completion: 0 },
    { prompt: 11, completion: expect.any(Number) },
    { prompt: 11, completion: 4 },
  ])
})

test('another attempt is made within the budget, for what may turn out better', async () => {
  model.next = ['error', 'bad_json']
  const { answer, tokens } = await llm().ask({ retries: 2 })
  expect(answer.ids).toEqual([2, 1, 3])
  expect(model.calls.chat).toBe(3)
  // What failed was paid for as well, where the endpoint has told.
  expect(tokens.prompt).toBe(22)
})

test('attempts end with the budget, and the failure is told', async () => {
  model.mode = 'rate_limited'
  await expect(llm().ask({ retries: 5, budget_ms: 600 })).rejects.toMatchObject(outage('overloaded'))
  expect(model.calls.chat).toBe(1)
})

test('a model that is away is not asked again until it has cooled down', async () => {
  const { ask, lines, isAway } = llm()
  model.mode = 'error'
  expect(isAway()).toBe(false)
  for (let n = 0; n < 10; n += 1) await expect(ask()).rejects.toMatchObject(outage('unreachable'))
  expect(model.calls.chat).toBe(3)
  expect(isAway()).toBe(true)
  expect(lines.filter((line) => line.includes('is away'))).toHaveLength(1)
})

test('bad answers do not close a model off: it is there', async () => {
  const { ask } = llm()
  model.mode = 'bad_json'
  for (let n = 0; n < 5; n += 1) await expect(ask()).rejects.toMatchObject(outage('bad_answer'))
  expect(model.calls.chat).toBe(5)
})

test('a caller that hangs up ends its call, which says nothing about the model', async () => {
  const { ask } = llm()
  for (let n = 1; n <= 4; n += 1) {
    model.mode = 'hang'
    const controller = new AbortController()
    const asked = ask({ signal: controller.signal }).catch((error: unknown) => error)
    await waitFor(() => model.calls.chat === n, 30_000)
    controller.abort()
    expect(await asked).toMatchObject({ name: 'Outage', part: 'model' })
    await waitFor(() => model.open() === 0, 30_000)
  }
  model.mode = 'good'
  expect((await ask()).answer.ids).toEqual([2, 1, 3])
})

test('one owner does not take all places', async () => {
  const { ask } = llm()
  model.mode = 'hang'
  const controller = new AbortController()
  const many = Array.from({ length: 8 }, () => ask({ signal: controller.signal }).catch(() => 'ended'))
  await waitFor(() => model.calls.chat === 3, 30_000)
  model.mode = 'good'
  expect((await ask({ owner: '2' })).answer.ids).toEqual([2, 1, 3])
  expect(model.calls.chat).toBe(4)
  controller.abort()
  expect(await Promise.all(many)).toEqual(Array(8).fill('ended'))
})

test('without an address every question is an outage', async () => {
  const none = createLlm(undefined, createLog({ level: 'silent', process_name: 'test' }), createMetrics())
  expect(none.is_on).toBe(false)
  const asked = none.ask(outside, {} as Question<Ids>)
  await expect(asked).rejects.toMatchObject(outage('not_configured'))
})

test('an endpoint without a key gets none', async () => {
  await llm({ api_key: undefined }).ask()
  expect(model.prompts[0]?.authorization).toBeUndefined()
  await llm().ask()
  expect(model.prompts[1]?.authorization).toBe(`Bearer ${key}`)
})
