import { listMasterCards } from '@crewhall/contracts/boards/master.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import { readMaster } from './master.service.ts'

export const masterRoutes = [
  handle(listMasterCards, async (ctx, { query }) => {
    const { items, ...head } = await readMaster(ctx, query)
    return ListAnswer.of(head, items)
  }),
]
