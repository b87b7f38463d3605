import { z } from 'zod'
import type { Outside } from '#platform/ctx/outside.ts'
import type { Llm } from '#platform/llm/llm.ts'
import { type Extracted, verdicts } from './judge.rules.ts'
import { instructions, mostAnswerTokens } from './prompt.rules.ts'

/**
 * The order of the fields is the order in which models write them: the reason first. Bounds that a model may miss are
 * judged one memory at a time, so that one long title does not cost all others.
 */
const answer = {
  name: 'memories',
  schema: z.strictObject({
    memories: z
      .array(
        z.strictObject({
          reasoning: z.string(),
          message: z.int(),
          quote: z.string(),
          kind: z.string(),
          title: z.string(),
          body: z.string(),
          description: z.string().nullable(),
          tags: z.array(z.string()),
          importance: z.string(),
          decision: z.enum(verdicts),
          existing: z.int().nullable(),
        }),
      )
      .max(100),
  }),
}
/** Nobody waits for it; the ladder of the conversation makes the next attempt. */
const budgetMs = 120_000

export interface Asked {
  readonly owner: string
  readonly prompt: string
  readonly spent: (tokens: { prompt: number; completion: number }) => void
  readonly signal: AbortSignal
}

/** One call. Throws an `Outage` of the model for everything that is not an answer of this shape. */
export async function extract(
  outside: Outside,
  llm: Llm,
  { owner, prompt, spent, signal }: Asked,
): Promise<readonly Extracted[]> {
  const { answer: read } = await llm.ask(outside, {
    purpose: 'extract',
    owner,
    system: instructions,
    prompt,
    answer,
    budget_ms: budgetMs,
    retries: 0,
    max_tokens: mostAnswerTokens,
    is_background: true,
    spent,
    signal,
  })
  return read.memories
}
