import type { ServiceFacts } from './facts.ts'
import { makeMailPart } from './mail-part.ts'
import { type Part, type PartName, partNames } from './part.ts'
import { makePostgresPart } from './postgres-part.ts'
import { makeRedisPart } from './redis-part.ts'
import { makeS3Part } from './s3-part.ts'

const makers: Record<PartName, (facts: ServiceFacts) => Part> = {
  postgres: makePostgresPart,
  redis: makeRedisPart,
  s3: makeS3Part,
  mail: makeMailPart,
}

export const makeParts = (facts: ServiceFacts, names: readonly PartName[]): Part[] =>
  names.map((name) => makers[name](facts))

/** No name means every part. */
export function parsePartNames(words: string[]): PartName[] {
  const unknown = words.find((word) => !partNames.includes(word as PartName))
  if (unknown) throw new Error(`There is no part ${unknown}. The parts are: ${partNames.join(' ')}`)
  return words.length === 0 ? [...partNames] : (words as PartName[])
}
