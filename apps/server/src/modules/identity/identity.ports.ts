import type { Auth } from '@crewhall/contracts/route.ts'
import type { Actor } from '#platform/ctx/actor.ts'
import type { BrandTx, SystemCtx, SystemTx } from '#platform/ctx/ctx.ts'
import type { Request } from '#platform/http/handle.ts'
import { port } from '#platform/modules/port.ts'

/**
 * Called for every new person inside the transaction that creates them, so both commit or neither does. Modules to the
 * right provide one for what everyone has from the start, such as a mail address.
 */
export interface NewPerson {
  welcome(ctx: SystemTx | BrandTx, person: { readonly id: number; readonly email: string }): Promise<void>
}

export const newPeople = port<NewPerson>('identity.new-people')

/** What a request shows of itself, and the path that its contract has. */
export interface ShownRequest extends Pick<Request, 'method' | 'headers'> {
  readonly path: string
}

/**
 * A kind of caller that a module to the right knows, such as a desk. It throws what it refuses with. It is asked for every
 * request, and remembers nobody, so that whoever is turned out is out with the next one.
 */
export interface FurtherCredential<Kind extends Auth['kind'] = Auth['kind']> {
  readonly kind: Kind
  authenticate(
    ctx: SystemCtx,
    auth: Auth,
    shown: ShownRequest,
  ): Promise<{ readonly brand_id: number; readonly actor: Actor }>
}

export const furtherCredentials = port<FurtherCredential>('identity.further-credentials')
