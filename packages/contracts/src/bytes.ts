import { z } from 'zod'

const mediaTypes = z.registry<{ readonly types: readonly string[] }>()

/** An answer of bytes in one of these media types: a picture, a file. Everything else answers JSON. */
export function bytes(...types: readonly [string, ...string[]]) {
  return z.instanceof(Uint8Array).register(mediaTypes, { types })
}

/** The media types of an answer of bytes; nothing for every other answer. */
export const mediaTypesOf = (schema: z.ZodType): readonly string[] | undefined =>
  mediaTypes.get(schema)?.types

const eventStreamType = 'text/event-stream'

/** An answer that goes on for as long as the caller listens: server-sent events, told in words. */
export function eventStream(description: string) {
  return z
    .custom<ReadableStream<Uint8Array>>((value) => value instanceof ReadableStream)
    .meta({ description })
    .register(mediaTypes, { types: [eventStreamType] })
}

export const isEventStream = (schema: z.ZodType): boolean =>
  mediaTypesOf(schema)?.includes(eventStreamType) === true
