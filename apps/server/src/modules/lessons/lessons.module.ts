import { indexFollowers } from '#modules/code-index'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import { partsOn } from '#platform/ctx/handles.ts'
import type { Embeddings } from '#platform/embeddings/embeddings.ts'
import { textVectors } from '#platform/embeddings/text-vectors.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { Loop } from '#platform/jobs/loop.ts'
import type { Log } from '#platform/log/log.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill } from '#platform/modules/port.ts'
import { reAnchorRoutes } from './anchors/re-anchor.routes.ts'
import { deletingLessons } from './erasure/erase-lessons.store.ts'
import { lessonFollower } from './sync/repository.service.ts'
import { syncRoutes } from './sync/sync.routes.ts'
import { LessonEmbedder } from './vectors/vectors.service.ts'

export { derivedOfLessons } from './derived/derived.store.ts'

interface Deps {
  readonly ctx: CtxParts
  readonly log: Log
  readonly embeddings: Embeddings
}

const lookMs = 1000

export function createLessons({ ctx, log, embeddings }: Deps): Module {
  const name = 'lessons.embed'
  const system = systemCtx(partsOn(ctx, 'memory'), log, { kind: 'system', name })
  const vectors = textVectors(embeddings)
  const embedder = new LessonEmbedder(vectors)
  const look = () => embedder.look(system)
  const loop = new Loop({ name, every_ms: lookMs, pause_ms: lookMs, look, log })
  return {
    routes: [...syncRoutes(vectors), ...reAnchorRoutes],
    fills: [
      fill(indexFollowers, lessonFollower),
      fill(erasureParts, { part: 'lessons', brand: emptying(...deletingLessons) }),
    ],
    start: () => loop.start(),
    async close() {
      embedder.end()
      await loop.stop()
    },
  }
}
