import { z } from 'zod'
import type { EmbeddingKind, EmbeddingProvider } from '#platform/embeddings/provider.ts'
import type { Vector } from '#platform/embeddings/vectors.ts'
import { createModelEndpoint } from '#platform/model-endpoint/model-endpoint.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface EndpointEmbeddingOptions {
  readonly url: string
  readonly api_key: string | undefined
  readonly model: string
  readonly dimension: number
  /** Asks for vectors of this dimension, which only some models can shorten. */
  readonly sends_dimension: boolean
  /** What the model wants to read before a text. */
  readonly prefix: Readonly<Record<EmbeddingKind, string>>
  readonly piece_characters: number
  readonly concurrency: number
  readonly limit_ms: Readonly<Record<EmbeddingKind, number>>
}

const mostPieces = 16
/** Digits of a number in JSON, with much room. */
const bytesOfNumber = 40

const responseShape = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.number()) })),
  usage: z.object({ prompt_tokens: z.number() }).optional().catch(undefined),
})

/** Any server with the interface of OpenAI: Ollama, text-embeddings-inference, vLLM, hosted ones. */
export function endpointProvider(
  options: EndpointEmbeddingOptions,
  countTokens: (kind: EmbeddingKind, tokens: number) => void,
): EmbeddingProvider {
  const { url, api_key, model, dimension, concurrency, limit_ms } = options
  const endpoint = createModelEndpoint({
    part: 'embeddings',
    url,
    api_key,
    body_limit_bytes: mostPieces * dimension * bytesOfNumber + 65_536,
  })
  const dimensions = options.sends_dimension ? { dimensions: dimension } : {}
  return {
    model,
    dimension,
    pieces: { characters: options.piece_characters, count: 16 },
    batch: { pieces: mostPieces, characters: mostPieces * options.piece_characters },
    concurrency,
    limit_ms,
    async embed(pieces, kind, signal) {
      const input = pieces.map((piece) => options.prefix[kind] + piece)
      // Not every server knows the library's own choice, base64.
      const body = { model, input, encoding_format: 'float', ...dimensions } as const
      const response = await endpoint.call(
        (client, request) => client.embeddings.create(body, request),
        signal,
      )
      const read = responseShape.safeParse(response)
      if (!read.success) throw badAnswer('unknown shape')
      const { data, usage } = read.data
      if (usage) countTokens(kind, usage.prompt_tokens)
      return vectorsOf(data, pieces.length, dimension)
    },
    close: async () => {},
  }
}

function vectorsOf(
  data: z.output<typeof responseShape>['data'],
  count: number,
  dimension: number,
): readonly Vector[] {
  if (data.length !== count) throw badAnswer(`${data.length} vectors for ${count} texts`)
  const vectors = new Map(data.map(({ index, embedding }, n) => [index ?? n, embedding]))
  return Array.from({ length: count }, (_, n) => {
    const numbers = vectors.get(n) ?? []
    if (numbers.length !== dimension) throw badAnswer(`${numbers.length} dimensions, ${dimension} are set`)
    if (numbers.every((value) => value === 0)) throw badAnswer('no direction')
    return Float32Array.from(numbers)
  })
}

const badAnswer = (why: string) => new Outage('embeddings', 'bad_answer', { cause: new Error(why) })
