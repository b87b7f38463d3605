import { z } from 'zod'

const mediaTypes = z.registry<{ readonly types: readonly string[] }>()

/** A binary response in one of these media types, such as a photo. All other responses are JSON. */
export function bytes(...types: readonly [string, ...string[]]) {
  return z.instanceof(Uint8Array).register(mediaTypes, { types })
}

/** No response body, with status 204. */
export const nothing = z.undefined()

/** The media types of a binary response; undefined for all others. */
export const mediaTypesOf = (schema: z.ZodType): readonly string[] | undefined =>
  mediaTypes.get(schema)?.types

const eventStreamType = 'text/event-stream'

/** A response of server-sent events, described in words. */
export function eventStream(description: string) {
  return z
    .custom<ReadableStream<Uint8Array>>((value) => value instanceof ReadableStream)
    .meta({ description })
    .register(mediaTypes, { types: [eventStreamType] })
}

export const isEventStream = (schema: z.ZodType): boolean =>
  mediaTypesOf(schema)?.includes(eventStreamType) === true
