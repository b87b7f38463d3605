import { randomBytes } from 'node:crypto'
import { digestOf } from '@crewhall/testkit/world/secrets.ts'
import type { World } from '@crewhall/testkit/world/world.ts'

/** A link to an invitation, as the mail job would have made it. Answers its secret. */
export async function linkTo(workspaces: World, invitation_id: number): Promise<string> {
  const secret = randomBytes(32).toString('base64url')
  await workspaces.sql(`update workspaces.invitations set token_hash = $2, delivery = 'sent' where id = $1`, [
    invitation_id,
    digestOf(secret),
  ])
  return secret
}
