import { z } from 'zod'
import { Outage } from '#platform/outage/outage.ts'

/**
 * How JSON is asked for: by its schema, as any JSON object, or in words alone. Servers differ in what they know. In the
 * first two the server promises JSON and nothing else, so anything else is a bad answer; in words alone, thoughts and
 * fences around it are taken off.
 */
export type AnswerFormat = 'json_schema' | 'json_object' | 'prompt'

export interface AnswerShape<T> {
  /** Letters, digits and underscores; some servers want it. */
  readonly name: string
  readonly schema: z.ZodType<T>
}

/** What goes into the request, and what is added to the instructions. */
export function askFor<T>({ name, schema }: AnswerShape<T>, format: AnswerFormat) {
  const json = z.toJSONSchema(schema) as Record<string, unknown>
  const inWords = `\n\nReturn one JSON value that matches this JSON Schema, and nothing else:\n${JSON.stringify(json)}`
  if (format === 'json_schema') {
    const json_schema = { name, schema: json, strict: true }
    return { response_format: { type: 'json_schema' as const, json_schema }, words: '' }
  }
  if (format === 'json_object') return { response_format: { type: 'json_object' as const }, words: inWords }
  return { response_format: undefined, words: inWords }
}

const completionShape = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: z
    .object({ prompt_tokens: z.int().nonnegative(), completion_tokens: z.int().nonnegative() })
    .optional()
    .catch(undefined),
})

export interface Tokens {
  readonly prompt: number
  readonly completion: number
}

/** The tokens of a response, which cost whatever the answer is worth. */
export function tokensOf(response: unknown): Tokens {
  const { data } = completionShape.pick({ usage: true }).safeParse(response)
  return { prompt: data?.usage?.prompt_tokens ?? 0, completion: data?.usage?.completion_tokens ?? 0 }
}

/** The answer in a response, or an `Outage` that says in general terms why there is none. */
export function readAnswer<T>(response: unknown, { schema }: AnswerShape<T>, format: AnswerFormat): T {
  const completion = completionShape.safeParse(response)
  if (!completion.success) throw badAnswer('unknown shape')
  const [choice] = completion.data.choices
  const { finish_reason, message } = choice ?? { message: {} }
  if (message.refusal || finish_reason === 'content_filter') throw new Outage('model', 'refused')
  if (finish_reason === 'length') throw badAnswer('cut off')
  const read = schema.safeParse(jsonIn(message.content ?? '', format))
  if (read.success) return read.data
  // Paths and codes only: messages of issues quote the answer.
  const issues = read.error.issues.slice(0, 3).map(({ path, code }) => `${path.length} deep: ${code}`)
  throw badAnswer(`does not match (${issues.join(', ')})`)
}

function jsonIn(content: string, format: AnswerFormat): unknown {
  try {
    return JSON.parse(format === 'prompt' ? bare(content) : content)
  } catch {
    throw badAnswer('not JSON')
  }
}

const thoughts = /^\s*<(think|thinking|thought|reasoning)>[\s\S]*?<\/\1>/
const opening = /^```(?:json)?[^\S\n]*\n/

/** Without what models put around JSON. One pattern for both ends of the fence would try each line as its end. */
const bare = (content: string): string => {
  const said = content.replace(thoughts, '').trim()
  const inside = said.replace(opening, '')
  const last = inside.lastIndexOf('\n')
  return inside !== said && inside.slice(last + 1).trim() === '```' ? inside.slice(0, last) : said
}

const badAnswer = (why: string) => new Outage('model', 'bad_answer', { cause: new Error(why) })
