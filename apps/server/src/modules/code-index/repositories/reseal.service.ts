import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import * as store from './reseal.store.ts'
import { placeOf, pushPlaceOf } from './sealed-credential.ts'

const beforeAll = { brand_id: 0, project_id: '00000000-0000-0000-0000-000000000000' }
const kinds = ['credential', 'push_secret'] as const
const places = { credential: placeOf, push_secret: pushPlaceOf } as const

export async function resealAll(ctx: SystemCtx, box: SecretBox): Promise<void> {
  if (!box.has_other_keys) return
  const told = await box.resealTable<store.SealedRow>({
    list: (after, limit) => store.listSealedAfter(ctx, after ?? beforeAll, limit),
    sealedIn: (row) =>
      kinds.map((kind) => ({ place: places[kind](row.brand_id, row.project_id), value: row[kind] })),
    async update(row, values) {
      let count = 0
      for (const [at, kind] of kinds.entries()) {
        const [was, sealed] = [row[kind], values[at]]
        if (was && sealed) count += await store.updateSealed(ctx, kind, { ...row, was, sealed })
      }
      return count
    },
  })
  ctx.log.info(told, 'credentials of repositories re-encrypted with SIGNING_KEY')
}
