import type { SystemTx } from '#platform/ctx/ctx.ts'
import * as store from './person-tokens.store.ts'

/** All tokens of a person, in every workspace. One brand after another by id, because each is locked by its epoch. */
export async function revokeAllTokens(ctx: SystemTx, person_id: number): Promise<void> {
  for (const { brand_id } of await store.listBrandsWithTokens(ctx, person_id)) {
    for (const { id, ...from } of await store.updateAllRevoked(ctx, brand_id, person_id)) {
      await ctx.audit(brand_id, { action: 'token.revoked', target: `token:${id}`, from, to: null })
    }
  }
}
