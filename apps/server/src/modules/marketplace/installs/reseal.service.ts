import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import { placeOf } from './credential.ts'
import * as store from './reseal.store.ts'

const beforeAll = { brand_id: 0, id: '00000000-0000-0000-0000-000000000000' }

export async function resealAll(ctx: SystemCtx, box: SecretBox): Promise<void> {
  if (!box.has_other_keys) return
  const told = await box.resealTable<store.SealedRow>({
    list: (after, limit) => store.listSealedAfter(ctx, after ?? beforeAll, limit),
    sealedIn: ({ brand_id, id, credential }) => [{ place: placeOf(brand_id, id), value: credential }],
    update: (row, [credential = row.credential]) => store.updateSealed(ctx, row, credential),
  })
  ctx.log.info(told, 'credentials of packages re-encrypted with SIGNING_KEY')
}
