import * as contract from '@crewhall/contracts/lessons/re-anchor.ts'
import { handle } from '#platform/http/handle.ts'
import { getCorrectedFile } from './re-anchor.service.ts'

export const reAnchorRoutes = [
  handle(contract.reAnchorLesson, (ctx, { params, body }) => getCorrectedFile(ctx, params.project_id, body)),
]
