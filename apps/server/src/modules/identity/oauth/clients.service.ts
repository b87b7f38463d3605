import { randomUUID } from 'node:crypto'
import { tooManyAttempts } from '@crewhall/contracts/identity/refusals.ts'
import type { OutsideSystemCtx, SystemCtx } from '#platform/ctx/ctx.ts'
import type { PlainAnswer, PlainRequest } from '#platform/http/plain-route.ts'
import { updateTries } from '../sessions/sessions.store.ts'
import { readClient } from './clients.rules.ts'
import * as store from './clients.store.ts'
import { readJson } from './forms.ts'
import { invalidClientMetadata, invalidRedirectUri } from './oauth-errors.ts'

/** Of one network. Unused ones are gone after a day, so this bounds how many there are. */
const registrations = { limit: 50, minutes: 60 }

/** Public clients only: a secret that everybody can ask for proves nothing. */
export async function registerClient(ctx: OutsideSystemCtx, request: PlainRequest): Promise<PlainAnswer> {
  const client = readClient(await readJson(request))
  if (client === 'metadata') throw invalidClientMetadata('client_name has to be 1 to 100 visible characters')
  if (client === 'redirects')
    throw invalidRedirectUri(
      'redirect_uris are 1 to 5 addresses: https, http on 127.0.0.1, [::1] or localhost, or a private scheme with a period or of a known editor; in their usual form, without user, password and fragment',
    )
  const { limit, minutes } = registrations
  if (!(await updateTries(ctx, `oauth-register:${request.network}`, limit, minutes))) throw tooManyAttempts()
  const id = randomUUID()
  await store.insertClient(ctx, { id, ...client })
  return {
    status: 201,
    type: 'application/json; charset=utf-8',
    body: JSON.stringify({
      client_id: id,
      client_id_issued_at: Math.floor(ctx.now().getTime() / 1000),
      client_name: client.name,
      redirect_uris: client.redirect_uris,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    }),
  }
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export const findClient = async (
  ctx: SystemCtx,
  id: string | undefined,
): Promise<store.ClientRow | undefined> =>
  id !== undefined && uuid.test(id) ? store.findClient(ctx, id) : undefined
