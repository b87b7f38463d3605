import { setTimeout as wait } from 'node:timers/promises'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { Lanes } from '#platform/bulkheads/lanes.ts'
import type { Outside } from '#platform/ctx/outside.ts'
import {
  type AnswerFormat,
  type AnswerShape,
  askFor,
  readAnswer,
  type Tokens,
  tokensOf,
} from '#platform/llm/answer.ts'
import type { Log } from '#platform/log/log.ts'
import type { Metrics } from '#platform/metrics/metrics.ts'
import {
  createModelEndpoint,
  EndpointStatus,
  type ModelEndpoint,
} from '#platform/model-endpoint/model-endpoint.ts'
import { modelBreaker, signOf } from '#platform/model-endpoint/signs.ts'
import { CircuitBreaker } from '#platform/outage/circuit-breaker.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface LlmOptions {
  readonly url: string
  readonly api_key: string | undefined
  readonly model: string
  readonly format: AnswerFormat
  /** Newer models of OpenAI refuse the name that everybody else knows. */
  readonly token_limit_field: 'max_tokens' | 'max_completion_tokens'
  /** Not sent if undefined: some models accept only their own. */
  readonly temperature: number | undefined
  readonly concurrency: number
}

export interface Question<T> {
  /** What it is for, a fixed word; a label of metrics. */
  readonly purpose: string
  /** Who asks, such as a workspace: places are shared between owners. */
  readonly owner: string
  readonly system: string
  readonly prompt: string
  readonly answer: AnswerShape<T>
  /** For everything together: queue, attempts and the pauses between them. */
  readonly budget_ms: number
  /** Attempts after the first; 0 where somebody waits. */
  readonly retries: number
  readonly max_tokens: number
  /** Comes after those for whom somebody waits. */
  readonly is_background?: boolean
  readonly signal?: AbortSignal
  /** Told of each call that was made, also of those whose answer is of no use: they cost as well. */
  readonly spent?: (tokens: Tokens) => void
}

export interface Answer<T> {
  readonly answer: T
  readonly model: string
  /** Of all attempts, as the endpoint counts them. */
  readonly tokens: Tokens
}

/** A language model. What it says is input from outside: check ids and bounds before you use it. */
export interface Llm {
  /** False if the operator has set none: every question would be an outage. */
  readonly is_on: boolean
  /** Whether a question would be refused now without a call: what can wait should not ask, and not count it as a failure. */
  readonly is_away: boolean
  /** Background questions that run at a time. More would wait, and their budget with them. */
  readonly background_places: number
  readonly model: string
  /**
   * An answer of the given shape. Throws an `Outage` of part `model` whose reason says why there is none: `timeout`,
   * `unreachable`, `refused`, `bad_answer`, `overloaded` or `not_configured`.
   */
  ask<T>(outside: Outside, question: Question<T>): Promise<Answer<T>>
}

/** Longest response, after decompression. */
const bodyLimitBytes = 2 * 1024 * 1024
const firstPauseMs = 250
/** Reasons for which another attempt may turn out better. */
const isWorthAnother = ({ reason }: Outage): boolean =>
  reason === 'unreachable' || reason === 'overloaded' || reason === 'bad_answer'

export function createLlm(options: LlmOptions | undefined, log: Log, metrics: Metrics): Llm {
  return options ? new EndpointLlm(options, log, metrics) : absent
}

const absent: Llm = {
  is_on: false,
  is_away: true,
  background_places: 1,
  model: 'none',
  async ask() {
    throw new Outage('model', 'not_configured')
  },
}

class EndpointLlm implements Llm {
  readonly is_on = true
  readonly background_places: number
  readonly model: string
  readonly #options: LlmOptions
  readonly #metrics: Metrics
  readonly #endpoint: ModelEndpoint
  readonly #lanes: Lanes
  readonly #breaker: CircuitBreaker

  constructor(options: LlmOptions, log: Log, metrics: Metrics) {
    const { url, api_key, model, concurrency: places } = options
    this.model = model
    this.#options = options
    this.#metrics = metrics
    this.#endpoint = createModelEndpoint({
      part: 'model',
      url,
      api_key,
      body_limit_bytes: bodyLimitBytes,
    })
    const spare = Math.floor(places / 4)
    this.background_places = Math.max(1, places - 2 * spare)
    this.#lanes = new Lanes('model', {
      ...bulkheads.models,
      all: { places, kept_free: spare },
      later: { places: this.background_places, kept_free: 0 },
    })
    this.#breaker = new CircuitBreaker({
      part: 'model',
      limits: modelBreaker,
      signOf,
      changed: (isOpen) =>
        isOpen ? log.warn({ model }, 'the language model is away') : log.info({ model }, 'the model is back'),
    })
    metrics.watchModel('model', () => ({
      waiting: this.#lanes.waiting,
      is_refusing: this.#breaker.is_refusing,
    }))
  }

  get is_away(): boolean {
    return this.#breaker.is_refusing
  }

  async ask<T>(_: Outside, question: Question<T>): Promise<Answer<T>> {
    const start = performance.now()
    const tell = (outcome: string) =>
      this.#metrics.model_seconds.observe(
        { part: 'model', purpose: question.purpose, outcome },
        (performance.now() - start) / 1000,
      )
    try {
      const answer = await new Asking(question, (signal, spend) =>
        this.#attempt(question, signal, spend),
      ).run()
      tell('ok')
      return { ...answer, model: this.model }
    } catch (error) {
      tell(error instanceof Outage ? error.reason : 'bug')
      throw error
    }
  }

  async #attempt<T>(question: Question<T>, signal: AbortSignal, spend: (tokens: Tokens) => void): Promise<T> {
    const { owner, purpose, answer, is_background = false } = question
    this.#breaker.check()
    const start = performance.now()
    const leave = await this.#lanes.take(is_background ? 'later' : 'now', owner, signal)
    try {
      // What is left would end in a timeout that says nothing about the endpoint.
      if (performance.now() - start > question.budget_ms / 2) throw new Outage('model', 'overloaded')
      return await this.#breaker.run(async () => {
        const response = await this.#endpoint
          .call(
            (client, request) => client.chat.completions.create(this.#requestOf(question), request),
            signal,
          )
          .catch((error: unknown) => {
            question.spent?.({ prompt: 0, completion: 0 })
            throw error
          })
        const tokens = tokensOf(response)
        spend(tokens)
        question.spent?.(tokens)
        const { model_tokens } = this.#metrics
        model_tokens.inc({ part: 'model', purpose, direction: 'in' }, tokens.prompt)
        model_tokens.inc({ part: 'model', purpose, direction: 'out' }, tokens.completion)
        return readAnswer(response, answer, this.#options.format)
      })
    } finally {
      leave()
    }
  }

  #requestOf<T>({ system, prompt, answer, max_tokens }: Question<T>) {
    const { model, format, token_limit_field, temperature } = this.#options
    const { response_format, words } = askFor(answer, format)
    return {
      model,
      messages: [
        { role: 'system' as const, content: system + words },
        { role: 'user' as const, content: prompt },
      ],
      [token_limit_field]: max_tokens,
      ...(response_format ? { response_format } : {}),
      ...(temperature === undefined ? {} : { temperature }),
      stream: false as const,
    }
  }
}

type Attempt<T> = (signal: AbortSignal, spend: (tokens: Tokens) => void) => Promise<T>

/** The attempts of one question, within one budget. */
class Asking<T> {
  readonly #question: Question<T>
  readonly #attempt: Attempt<T>
  readonly #late: AbortSignal
  readonly #signal: AbortSignal
  readonly #until: number
  #prompt = 0
  #completion = 0

  constructor(question: Question<T>, attempt: Attempt<T>) {
    this.#question = question
    this.#attempt = attempt
    this.#until = performance.now() + question.budget_ms
    this.#late = AbortSignal.timeout(question.budget_ms)
    this.#signal = question.signal ? AbortSignal.any([this.#late, question.signal]) : this.#late
  }

  async run(): Promise<{ answer: T; tokens: Tokens }> {
    const spend = ({ prompt, completion }: Tokens) => {
      this.#prompt += prompt
      this.#completion += completion
    }
    for (let attempt = 0; ; attempt += 1) {
      try {
        const answer = await this.#attempt(this.#signal, spend)
        return { answer, tokens: { prompt: this.#prompt, completion: this.#completion } }
      } catch (error) {
        const outage = this.#outageOf(error)
        if (attempt >= this.#question.retries || !isWorthAnother(outage)) throw outage
        await this.#pause(attempt, outage)
      }
    }
  }

  /** As long as the endpoint has asked for, or a little longer each time; the first failure is told if time runs out. */
  async #pause(attempt: number, outage: Outage): Promise<void> {
    const asked = outage.cause instanceof EndpointStatus ? outage.cause.retry_after_ms : undefined
    const pause = asked ?? firstPauseMs * 2 ** attempt * (0.5 + Math.random())
    if (performance.now() + pause >= this.#until) throw outage
    try {
      await wait(pause, undefined, { signal: this.#signal })
    } catch {
      throw outage
    }
  }

  #outageOf(error: unknown): Outage {
    if (error instanceof Outage) return error
    if (this.#signal.aborted) return new Outage('model', this.#late.aborted ? 'timeout' : 'unreachable')
    throw error
  }
}
