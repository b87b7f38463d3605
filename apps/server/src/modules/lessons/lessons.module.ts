import { cardLessons } from '#modules/boards'
import { indexFollowers } from '#modules/code-index'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import { handleOf, partsOn } from '#platform/ctx/handles.ts'
import { readOn } from '#platform/ctx/read-on.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { Embedder } from '#platform/embeddings/embedder.ts'
import type { Embeddings } from '#platform/embeddings/embeddings.ts'
import { textVectors } from '#platform/embeddings/text-vectors.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { Loop } from '#platform/jobs/loop.ts'
import type { Log } from '#platform/log/log.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { reAnchorRoutes } from './anchors/re-anchor.routes.ts'
import { createCardLessons } from './card-lessons/card-lessons.service.ts'
import { entryRoutes } from './entries/entries.routes.ts'
import { deletingLessons } from './erasure/erase-lessons.store.ts'
import { lookupRoutes } from './lookup/lookup.routes.ts'
import { nearRoutes } from './near/near.routes.ts'
import { searchRoutes } from './search/search.routes.ts'
import { similarRoutes } from './similar/similar.routes.ts'
import { lessonFollower } from './sync/repository.service.ts'
import { syncRoutes } from './sync/sync.routes.ts'
import { lessonTexts } from './vectors/vectors.service.ts'

export { derivedOfLessons } from './derived/derived.store.ts'

interface Deps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly cursors: Cursors
  readonly embeddings: Embeddings
}

const lookMs = 1000
/** How long `near` waits for lessons before it says that they are away. */
const lessonsMs = 2000

export function createLessons({ ctx, log, cursors, embeddings }: Deps): Module {
  const name = 'lessons.embed'
  const system = systemCtx(partsOn(ctx, 'memory'), log, { kind: 'system', name })
  const vectors = textVectors(embeddings)
  const embedder = new Embedder(vectors, lessonTexts)
  const look = () => embedder.look(system)
  const loop = new Loop({ name, every_ms: lookMs, pause_ms: lookMs, look, log })
  const near = {
    memory: readOn(ctx, 'memory', lessonsMs),
    code_index: readOn(ctx, 'code_index', handleOf(ctx, 'code_index').deadline_ms),
  }
  return {
    routes: [
      ...nearRoutes(near),
      ...searchRoutes,
      ...lookupRoutes,
      ...similarRoutes(vectors),
      ...entryRoutes(cursors),
      ...syncRoutes(vectors),
      ...reAnchorRoutes,
    ],
    fills: [
      fill(indexFollowers, lessonFollower),
      fill(cardLessons, createCardLessons(near)),
      fill(erasureParts, { part: 'lessons', brand: emptying(...deletingLessons) }),
    ],
    start: () => loop.start(),
    async close() {
      embedder.end()
      await loop.stop()
    },
  }
}
