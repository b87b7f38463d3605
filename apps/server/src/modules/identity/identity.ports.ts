import type { BrandTx, SystemTx } from '#platform/ctx/ctx.ts'
import { port } from '#platform/modules/port.ts'

/**
 * Called for every new person inside the transaction that creates them, so both commit or neither does. Modules to the
 * right provide one for what everyone has from the start, such as a mail address.
 */
export interface NewPerson {
  welcome(ctx: SystemTx | BrandTx, person: { readonly id: number; readonly email: string }): Promise<void>
}

export const newPeople = port<NewPerson>('identity.new-people')
