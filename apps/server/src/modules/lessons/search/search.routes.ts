import * as contract from '@crewhall/contracts/lessons/search.ts'
import { handle } from '#platform/http/handle.ts'
import { ListAnswer } from '#platform/http/list-answer.ts'
import { searchLessons } from './search.service.ts'

export const searchRoutes = [
  handle(contract.searchLessons, async (ctx, { query }) => {
    const { items, ...head } = await searchLessons(ctx, query)
    return ListAnswer.of(head, items)
  }),
]
