import * as contract from '@crewhall/contracts/lessons/similar.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { handle } from '#platform/http/handle.ts'
import { findSimilar } from './similar.service.ts'

export const similarRoutes = (vectors: TextVectors) => [
  handle(contract.findSimilar, (ctx, { body }) => findSimilar(ctx, vectors, body)),
]
