import { streamEvents } from '@crewhall/contracts/boards/stream.ts'
import { EventStreamAnswer } from '#platform/http/event-stream.ts'
import { handle } from '#platform/http/handle.ts'
import { follow, openSource, type StreamDeps } from './stream.service.ts'

export const streamRoutes = (deps: StreamDeps) => [
  handle(streamEvents, async (ctx, { query }) => {
    const source = await openSource(ctx, deps, query)
    return new EventStreamAnswer(ctx, (stream) => follow(ctx, deps, { ...query, source, stream }))
  }),
]
