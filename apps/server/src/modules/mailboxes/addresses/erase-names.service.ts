import type { ErasurePart } from '#platform/erasure/erasure-part.ts'
import { type AddressDeps, addressOf } from './addresses.service.ts'
import { lockMailbox } from './addresses.store.ts'
import { forwardingHours, quarantineHours } from './names.rules.ts'
import * as store from './withheld-names.store.ts'

/** The names take no mail any more and are nobody's; for a year nobody gets one, as if they had been given back. */
export const namesErasure = (deps: AddressDeps): ErasurePart => ({
  part: 'mailboxes',
  async addressesOf(ctx, person_id) {
    return (await store.listNamesOf(ctx, person_id)).map((name) => addressOf(deps, name))
  },
  async person(ctx, { id }) {
    await ctx.tx(async (ctx) => {
      await lockMailbox(ctx, id)
      await store.insertWithheld(ctx, id, forwardingHours + quarantineHours)
      await store.deleteNamesOf(ctx, id)
      await store.deleteMailbox(ctx, id)
    })
    return undefined
  },
})
