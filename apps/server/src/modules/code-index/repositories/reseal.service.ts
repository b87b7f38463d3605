import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import * as store from './reseal.store.ts'
import { placeOf } from './sealed-credential.ts'

const bite = 200
const beforeAll = { brand_id: 0, project_id: '00000000-0000-0000-0000-000000000000' }

/** After a rotation of the installation's key: moves what lies under another key to the current one. */
export async function resealAll(ctx: SystemCtx, box: SecretBox): Promise<void> {
  if (!box.has_other_keys) return
  let [moved, lost] = [0, 0]
  let page = await store.listSealedAfter(ctx, beforeAll, bite)
  while (page.length > 0) {
    for (const row of page) {
      const place = placeOf(row.brand_id, row.project_id)
      if (box.open(place, row.credential) === undefined) lost += 1
      const credential = box.reseal(place, row.credential)
      if (credential) moved += await store.updateSealed(ctx, row, credential)
    }
    page = page.length < bite ? [] : await store.listSealedAfter(ctx, page.at(-1) ?? beforeAll, bite)
  }
  ctx.log.info({ moved, lost }, 'credentials of repositories re-encrypted with SIGNING_KEY')
}
