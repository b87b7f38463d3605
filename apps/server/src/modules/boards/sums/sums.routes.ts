import { listSums } from '@crewhall/contracts/boards/sums.ts'
import { handle } from '#platform/http/handle.ts'
import { readSums } from './sums.service.ts'

export const sumRoutes = [handle(listSums, (ctx, { query }) => readSums(ctx, query))]
