import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setInterval } from 'node:timers/promises'

/** How it behaves. Each but `good` is a way in which real models fail. */
export type StandInMode =
  | 'good'
  /** Prose with something that looks like JSON. */
  | 'bad_json'
  /** The good answer, with `<thought>…</thought>` before it. */
  | 'thought_prefix'
  /** Half of the good answer, cut by the limit of tokens. */
  | 'truncated'
  /** The good answer with whole numbers that nobody gave out. */
  | 'unknown_ids'
  /** Status 429. */
  | 'rate_limited'
  /** Status 500; the body repeats prompt and key. */
  | 'error'
  /** Never responds. */
  | 'hang'
  /** Headers at once, then a byte from time to time, for ever. */
  | 'drip'
  /** The prompt as the answer, as if the prompt had taken over. */
  | 'injection_echo'
  /** A body without end, as fast as it is read. */
  | 'huge'

/** The nine ways to fail that every caller of a model has to bear. */
export const failureModes = [
  'bad_json',
  'thought_prefix',
  'truncated',
  'unknown_ids',
  'rate_limited',
  'error',
  'hang',
  'drip',
  'injection_echo',
] as const satisfies readonly StandInMode[]

export interface Prompt {
  readonly system: string
  readonly user: string
  readonly authorization: string | undefined
}

export interface StandInModel {
  /** For LLM_URL and EMBEDDINGS_URL. */
  readonly url: string
  mode: StandInMode
  /** Modes of the next calls, before `mode` holds again. */
  next: StandInMode[]
  /** The good answer to a prompt: sent as JSON unless it is a text. */
  answer: (prompt: Prompt) => unknown
  /** Dimension of its vectors. */
  dimension: number
  /** Milliseconds before each response. */
  delay_ms: number
  readonly prompts: readonly Prompt[]
  /** Requests of both kinds, as they came. */
  readonly bodies: readonly Record<string, unknown>[]
  /** Texts that it was asked to embed, in order. */
  readonly embedded: readonly string[]
  readonly calls: { chat: number; embeddings: number }
  readonly tokens: { prompt: number; completion: number }
  /** Calls whose connection is still open. */
  open(): number
  /** Forgets what it saw, and is good again. */
  reset(): void
  close(): Promise<void>
}

const tokensOf = (text: string): number => Math.ceil(text.length / 4)

/**
 * A server with the interface of OpenAI for chat and embeddings. It runs in the process of the test, which sets its mode
 * and reads what it was asked; the server under test gets its address as a setting.
 */
export async function startStandInModel(): Promise<StandInModel> {
  const prompts: Prompt[] = []
  const bodies: Body[] = []
  const embedded: string[] = []
  const calls = { chat: 0, embeddings: 0 }
  const tokens = { prompt: 0, completion: 0 }
  const open = new Set<ServerResponse>()
  const server = createServer(async (request, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    const body = await jsonOf(request)
    bodies.push(body)
    const mode = model.next.shift() ?? model.mode
    if (request.url === '/v1/chat/completions') await chat(request, response, body, mode)
    else if (request.url === '/v1/embeddings') await embed(request, response, body, mode)
    else send(response, 404, { error: { message: 'unknown path' } })
  })

  async function chat(request: IncomingMessage, response: ServerResponse, body: Body, mode: StandInMode) {
    const prompt = promptOf(request, body)
    prompts.push(prompt)
    calls.chat += 1
    const content = contentOf(mode, prompt, model.answer)
    const usage = { prompt: tokensOf(prompt.system + prompt.user), completion: tokensOf(content) }
    tokens.prompt += usage.prompt
    tokens.completion += usage.completion
    await respond(response, mode, prompt, {
      id: `chatcmpl-${calls.chat}`,
      object: 'chat.completion',
      created: 0,
      model: body.model,
      choices: [
        {
          index: 0,
          finish_reason: mode === 'truncated' ? 'length' : 'stop',
          message: { role: 'assistant', content },
        },
      ],
      usage: {
        prompt_tokens: usage.prompt,
        completion_tokens: usage.completion,
        total_tokens: usage.prompt + usage.completion,
      },
    })
  }

  async function embed(request: IncomingMessage, response: ServerResponse, body: Body, mode: StandInMode) {
    const texts = [body.input].flat().map(String)
    embedded.push(...texts)
    calls.embeddings += 1
    const used = tokensOf(texts.join(''))
    tokens.prompt += used
    const vectors = texts.map((text, index) => ({
      object: 'embedding',
      index: mode === 'unknown_ids' ? index + 1000 : index,
      embedding: bagOfWords(text, model.dimension),
    }))
    const data = mode === 'truncated' ? vectors.slice(1) : vectors
    const usage = { prompt_tokens: used, total_tokens: used }
    const prompt = { system: '', user: texts.join('\n'), authorization: request.headers.authorization }
    const whole = { object: 'list', data, model: body.model, usage }
    const text = contentOf(mode, prompt, () => whole)
    const isText = mode === 'bad_json' || mode === 'thought_prefix' || mode === 'injection_echo'
    await respond(response, mode, prompt, isText ? text : whole)
  }

  async function respond(response: ServerResponse, mode: StandInMode, prompt: Prompt, body: unknown) {
    if (mode === 'hang') return
    if (mode === 'drip') return drip(response)
    if (mode === 'huge') return flood(response)
    if (model.delay_ms > 0) await new Promise((done) => setTimeout(done, model.delay_ms))
    // Real ones repeat what they were sent, so that it gets into logs.
    const error = { message: `failed for ${prompt.user} with ${prompt.authorization}` }
    if (mode === 'rate_limited') send(response, 429, { error }, { 'retry-after': '1' })
    else if (mode === 'error') send(response, 500, { error })
    else send(response, 200, body)
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const fresh = () => ({
    mode: 'good' as StandInMode,
    next: [] as StandInMode[],
    answer: ((): unknown => ({})) as StandInModel['answer'],
    dimension: 64,
    delay_ms: 0,
  })
  const model: StandInModel = {
    url: `http://127.0.0.1:${port}/v1`,
    ...fresh(),
    prompts,
    bodies,
    embedded,
    calls,
    tokens,
    open: () => open.size,
    reset() {
      Object.assign(model, fresh())
      for (const list of [prompts, bodies, embedded]) list.length = 0
      Object.assign(calls, { chat: 0, embeddings: 0 })
      Object.assign(tokens, { prompt: 0, completion: 0 })
    },
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
  return model
}

type Body = Record<string, unknown>

async function jsonOf(request: IncomingMessage): Promise<Body> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || '{}') as Body
}

function promptOf({ headers }: IncomingMessage, body: Body): Prompt {
  const messages = (body.messages ?? []) as { role: string; content: string }[]
  const said = (role: string) =>
    messages
      .filter((message) => message.role === role)
      .map(({ content }) => content)
      .join('\n')
  return { system: said('system'), user: said('user'), authorization: headers.authorization }
}

function contentOf(mode: StandInMode, prompt: Prompt, answer: StandInModel['answer']): string {
  const good = answer(prompt)
  const text = typeof good === 'string' ? good : JSON.stringify(good)
  switch (mode) {
    case 'bad_json':
      return `Sure, here you go: {order: ${text},}`
    case 'thought_prefix':
      return `<thought>I should look at {each} of them first.</thought>\n${text}`
    case 'truncated':
      return text.slice(0, Math.ceil(text.length / 2))
    case 'unknown_ids':
      return text.replace(/(?<![\w."])\d+(?![\w."])/g, (digits) => String(Number(digits) + 1_000_000))
    case 'injection_echo':
      return `${prompt.system}\n${prompt.user}`
    default:
      return text
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** Spaces are good JSON, so a reader has no reason to give up but time. */
async function drip(response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(' ')
  for await (const _ of setInterval(50)) {
    if (response.destroyed) return
    response.write(' ')
  }
}

/** Written whenever there is room, so that only the reader's speed limits it. */
function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' })
  const spaces = Buffer.alloc(65_536, ' ')
  const more = () => {
    while (!response.destroyed && response.write(spaces));
  }
  response.on('drain', more)
  more()
}

/** Texts with words in common get vectors that point the same way, more or less. */
export function bagOfWords(text: string, dimension: number): number[] {
  const vector = Array<number>(dimension).fill(0.001)
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    let hash = 2166136261
    for (const char of word) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 16777619)
    const at = (hash >>> 0) % dimension
    vector[at] = (vector[at] ?? 0) + 1
  }
  return vector
}
