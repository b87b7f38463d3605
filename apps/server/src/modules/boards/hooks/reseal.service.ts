import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { placeOf } from './hook-secret.ts'
import * as store from './reseal.store.ts'

const beforeAll = { brand_id: 0, id: '00000000-0000-0000-0000-000000000000' }

export async function resealAll(ctx: SystemCtx, box: SecretBox): Promise<void> {
  if (!box.has_other_keys) return
  const told = await box.resealTable<store.SealedRow>({
    list: (after, limit) => store.listSealedAfter(ctx, after ?? beforeAll, limit),
    sealedIn: ({ brand_id, id, secret, old_secret }) =>
      [secret, old_secret].map((value) => ({ place: placeOf(brand_id, id), value })),
    update: (row, [secret = row.secret, old_secret = row.old_secret]) =>
      store.updateSealed(ctx, row, { secret, old_secret }),
  })
  ctx.log.info(told, 'secrets of hooks re-encrypted with SIGNING_KEY')
}
