import { z } from 'zod'

const mediaTypes = z.registry<{ readonly types: readonly string[] }>()

/** An answer of bytes in one of these media types: a picture, a file. Everything else answers JSON. */
export function bytes(...types: readonly [string, ...string[]]) {
  return z.instanceof(Uint8Array).register(mediaTypes, { types })
}

/** The media types of an answer of bytes; nothing for every other answer. */
export const mediaTypesOf = (schema: z.ZodType): readonly string[] | undefined =>
  mediaTypes.get(schema)?.types
