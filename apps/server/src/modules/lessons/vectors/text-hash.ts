import { createHash } from 'node:crypto'

/** Of the text that a vector was made from. */
export const textHash = (body: string): Buffer => createHash('sha256').update(body).digest()
