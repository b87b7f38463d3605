import { randomBytes } from 'node:crypto'
import type { SecretBox } from '#platform/secrets/secret-box.ts'

/** As Standard Webhooks has them, so that hosts which sign that way can, too; for the others it is a text. */
export const newHookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

/** Where the secrets of a hook open. */
export const placeOf = (brand_id: number, hook_id: string): string => `hook:${brand_id}:${hook_id}`

export const sealHookSecret = (box: SecretBox, brand_id: number, hook_id: string, secret: string): Buffer =>
  box.seal(placeOf(brand_id, hook_id), secret)
