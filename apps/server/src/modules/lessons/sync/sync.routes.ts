import * as contract from '@crewhall/contracts/lessons/sync.ts'
import type { TextVectors } from '#platform/embeddings/text-vectors.ts'
import { handle, handleInPhases } from '#platform/http/handle.ts'
import { getSyncState, prepareSync, syncLessons } from './sync.service.ts'

export const syncRoutes = (vectors: TextVectors) => [
  handle(contract.getSyncState, (ctx, { params }) => getSyncState(ctx, params.project_id)),
  handleInPhases(contract.syncLessons, {
    before: (ctx, { params, body }) => prepareSync(ctx, vectors, params.project_id, body.files),
    run: (ctx, { params, body }, prepared) =>
      syncLessons(ctx, vectors, params.project_id, body.files, prepared),
  }),
]
