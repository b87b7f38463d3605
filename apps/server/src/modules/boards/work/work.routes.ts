import * as contract from '@crewhall/contracts/boards/work.ts'
import { handle } from '#platform/http/handle.ts'
import { nextWork } from './work.service.ts'

export const workRoutes = [handle(contract.nextWork, (ctx, { body }) => nextWork(ctx, body))]
