import { fileStorageAbsent, fileStorageAway } from '@crewhall/contracts/boards/attachments.ts'
import { featureHoldings, guestAccess } from '#modules/workspaces'
import { Bound } from '#platform/bulkheads/bound.ts'
import { bulkheads } from '#platform/bulkheads/bulkheads.ts'
import { type CtxParts, systemCtx } from '#platform/ctx/ctx.ts'
import type { Cursors } from '#platform/cursor/cursor.ts'
import { emptying, erasureParts } from '#platform/erasure/erasure-part.ts'
import { CoalescedReads } from '#platform/events/coalesced-reads.ts'
import { eventLog } from '#platform/events/event-log.ts'
import { Semaphore } from '#platform/events/semaphore.ts'
import type { WakeUps } from '#platform/events/wake-ups.ts'
import { sweeps } from '#platform/jobs/sweep.ts'
import type { Log } from '#platform/log/log.ts'
import type { Module } from '#platform/modules/module.ts'
import { fill, type Ports } from '#platform/modules/port.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { createFileObjects } from '#platform/storage/uploaded-objects.ts'
import type { Config } from '../../config.ts'
import { activityJobs } from './activity/activity.jobs.ts'
import { activityRoutes } from './activity/activity.routes.ts'
import { attachmentJobs } from './attachments/attachments.jobs.ts'
import { attachmentRoutes } from './attachments/attachments.routes.ts'
import { batchRoutes } from './batch/batch.routes.ts'
import { boardRoutes } from './boards/boards.routes.ts'
import { countCrmBoards } from './boards/boards.service.ts'
import { cardLessons, cardMemories, knownProjects } from './boards.ports.ts'
import { cardRoutes } from './cards/cards.routes.ts'
import { checklistRoutes } from './checklists/checklists.routes.ts'
import { childrenRoutes } from './children/children.routes.ts'
import { claimJobs } from './claims/claims.jobs.ts'
import { claimRoutes } from './claims/claims.routes.ts'
import { columnJobs } from './columns/columns.jobs.ts'
import { columnRoutes } from './columns/columns.routes.ts'
import { commentRoutes } from './comments/comments.routes.ts'
import { contextRoutes } from './context/context.routes.ts'
import { cycleJobs } from './cycles/cycles.jobs.ts'
import { cycleRoutes } from './cycles/cycles.routes.ts'
import { boardRowsOfBrand } from './erasure/erase-brand.service.ts'
import { erasePersonFromBoards } from './erasure/erase-person.service.ts'
import { exportRoutes } from './export/export.routes.ts'
import { searchRoutes } from './find/search.routes.ts'
import { boardGuestRoutes } from './guests/board-guests.routes.ts'
import { boardSharing } from './guests/board-guests.service.ts'
import { hookJobs } from './hooks/hooks.jobs.ts'
import { hookRoutes } from './hooks/hooks.routes.ts'
import { hookSweeps } from './hooks/hooks.service.ts'
import { importJobs } from './imports/imports.jobs.ts'
import { importRoutes } from './imports/imports.routes.ts'
import { labelJobs } from './labels/labels.jobs.ts'
import { labelRoutes } from './labels/labels.routes.ts'
import { masterRoutes } from './master/master.routes.ts'
import { relationRoutes } from './relations/relations.routes.ts'
import { runRoutes } from './runs/runs.routes.ts'
import { sharedRoutes } from './shared/shared.routes.ts'
import { statsRoutes } from './stats/stats.routes.ts'
import { BoardWatch, topicOf } from './stream/board-watch.service.ts'
import { streamRoutes } from './stream/stream.routes.ts'
import { sumRoutes } from './sums/sums.routes.ts'
import { viewRoutes } from './views/views.routes.ts'
import { watcherRoutes } from './watchers/watchers.routes.ts'
import { workRoutes } from './work/work.routes.ts'
import { workingNowRoutes } from './working-now/working-now.routes.ts'

export { derivedOfBoards } from './derived/derived.store.ts'

interface Deps {
  readonly cursors: Cursors
  readonly config: Pick<
    Config,
    'DATABASE_POOL_SIZE' | 'RETENTION_ACTIVITY_MONTHS' | 'ATTACHMENTS_MB_PER_WORKSPACE'
  >
  readonly storage: Storage
  readonly log: Log
  readonly ctx: CtxParts
  readonly wake_ups: WakeUps
  readonly ports: Ports
  readonly secret_box: SecretBox
}

export function createBoards(deps: Deps): Module {
  const { cursors, wake_ups } = deps
  const system = systemCtx(deps.ctx, deps.log, { kind: 'system', name: 'boards.stream' })
  const semaphore = new Semaphore(Math.ceil(deps.config.DATABASE_POOL_SIZE / 2))
  const watch = new BoardWatch({ system, wake_ups, log: eventLog })
  const stream = { cursors, watch, semaphore, reads: new CoalescedReads(semaphore), log: eventLog }
  const words = { away: fileStorageAway, absent: fileStorageAbsent }
  const objects = createFileObjects(deps.storage, 'attachments', words, new Bound(bulkheads.downloads))
  const limit_bytes = deps.config.ATTACHMENTS_MB_PER_WORKSPACE * 1_048_576
  return {
    routes: [
      ...boardRoutes(() => deps.ports.of(knownProjects)),
      ...statsRoutes,
      ...columnRoutes,
      ...cardRoutes(cursors),
      ...batchRoutes,
      ...commentRoutes,
      ...checklistRoutes,
      ...attachmentRoutes({ objects, limit_bytes }),
      ...labelRoutes,
      ...cycleRoutes,
      ...relationRoutes,
      ...childrenRoutes,
      ...claimRoutes,
      ...runRoutes,
      ...workRoutes({
        lessons: () => deps.ports.of(cardLessons),
        memories: () => deps.ports.of(cardMemories),
      }),
      ...workingNowRoutes(cursors),
      ...sumRoutes,
      ...contextRoutes(() => deps.ports.of(cardLessons)),
      ...masterRoutes,
      ...searchRoutes,
      ...viewRoutes,
      ...watcherRoutes,
      ...activityRoutes(cursors),
      ...streamRoutes(stream),
      ...exportRoutes,
      ...importRoutes,
      ...hookRoutes(deps.secret_box),
      ...boardGuestRoutes,
      ...sharedRoutes,
    ],
    jobs: [
      ...attachmentJobs(objects),
      ...hookJobs(deps.secret_box),
      ...claimJobs,
      ...columnJobs,
      ...labelJobs,
      ...cycleJobs,
      ...importJobs,
      ...activityJobs(deps.config.RETENTION_ACTIVITY_MONTHS),
    ],
    listeners: [{ committed: (brandId, { board_id }) => wake_ups.tell(topicOf(brandId, board_id)) }],
    fills: [
      fill(sweeps, ...hookSweeps),
      fill(guestAccess, boardSharing.access),
      fill(featureHoldings, { feature: 'crm', count: countCrmBoards }),
      fill(erasureParts, {
        part: 'boards',
        person: erasePersonFromBoards,
        brand: emptying(objects.dropAllOf, ...boardRowsOfBrand),
      }),
    ],
  }
}
