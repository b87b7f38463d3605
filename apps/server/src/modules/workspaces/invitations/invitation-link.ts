import { createHash, randomBytes } from 'node:crypto'

/** 256 random bits; only their digest is kept. */
export function newInvitationLink(public_url: string): { url: string; token_hash: string } {
  const token = randomBytes(32).toString('base64url')
  return { url: `${public_url}/dashboard/invite?token=${token}`, token_hash: hashOfToken(token) }
}

export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex')
