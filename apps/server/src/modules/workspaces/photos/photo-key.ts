import { randomUUID } from 'node:crypto'

export const photoPrefix = 'member-photos/'

/** Random, so that no two uploads ever share an object and none can be guessed. */
export const newPhotoKey = (brandId: number): string => `${photoPrefix}${brandId}/${randomUUID()}`

const form = /^member-photos\/([1-9]\d{0,9})\/[0-9a-f-]{36}$/

/** The workspace that a key belongs to; nothing for a key that this module has not made. */
export function brandOfKey(key: string): number | undefined {
  const brand = form.exec(key)?.[1]
  return brand === undefined ? undefined : Number(brand)
}
