import type { Cursors } from '#platform/cursor/cursor.ts'
import { activityRoutes } from './activity/activity.routes.ts'
import { boardRoutes } from './boards/boards.routes.ts'
import { cardRoutes } from './cards/cards.routes.ts'
import { claimRoutes } from './claims/claims.routes.ts'
import { columnRoutes } from './columns/columns.routes.ts'
import { commentRoutes } from './comments/comments.routes.ts'
import { exportRoutes } from './export/export.routes.ts'
import { masterRoutes } from './master/master.routes.ts'
import { relationRoutes } from './relations/relations.routes.ts'
import { runRoutes } from './runs/runs.routes.ts'

interface Deps {
  readonly cursors: Cursors
}

export const createBoards = ({ cursors }: Deps) => ({
  routes: [
    ...boardRoutes,
    ...columnRoutes,
    ...cardRoutes,
    ...commentRoutes,
    ...relationRoutes,
    ...claimRoutes,
    ...runRoutes,
    ...masterRoutes,
    ...activityRoutes(cursors),
    ...exportRoutes,
  ],
})
