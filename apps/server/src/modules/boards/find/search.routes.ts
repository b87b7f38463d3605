import { searchCards } from '@crewhall/contracts/boards/search.ts'
import { handle } from '#platform/http/handle.ts'
import * as service from './find.service.ts'

export const searchRoutes = [handle(searchCards, (ctx, { query }) => service.searchCards(ctx, query))]
