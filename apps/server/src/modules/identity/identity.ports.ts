import type { BrandTx, SystemTx } from '#platform/ctx/ctx.ts'
import { port } from '#platform/modules/port.ts'

/**
 * Told of every new person inside the transaction that makes them, so both are kept or neither is. Modules to
 * the right provide one for what everybody has from the start, such as a mail address.
 */
export interface NewPerson {
  welcome(ctx: SystemTx | BrandTx, person: { readonly id: number; readonly email: string }): Promise<void>
}

export const newPeople = port<NewPerson>('identity.new-people')
