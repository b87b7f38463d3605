import { streamEvents } from '@crewhall/contracts/boards/stream.ts'
import { EventStreamAnswer } from '#platform/http/event-stream.ts'
import { handle } from '#platform/http/handle.ts'
import { findPlaces, followBoards, type StreamDeps } from './stream.service.ts'

export const streamRoutes = (deps: StreamDeps) => [
  handle(streamEvents, async (ctx, { query }) => {
    const now = await findPlaces(ctx, query.board_ids)
    return new EventStreamAnswer(ctx, (stream) => followBoards(ctx, deps, { ...query, now, stream }))
  }),
]
