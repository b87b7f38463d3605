import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { SecretBox } from '#platform/secrets/secret-box.ts'
import * as store from './reseal.store.ts'
import { placeOf, pushPlaceOf } from './sealed-credential.ts'

const bite = 200
const beforeAll = { brand_id: 0, project_id: '00000000-0000-0000-0000-000000000000' }

const places = { credential: placeOf, push_secret: pushPlaceOf } as const

/** After a rotation of the installation's key: moves what lies under another key to the current one. */
export async function resealAll(ctx: SystemCtx, box: SecretBox): Promise<void> {
  if (!box.has_other_keys) return
  let [moved, lost] = [0, 0]
  let page = await store.listSealedAfter(ctx, beforeAll, bite)
  while (page.length > 0) {
    for (const row of page) {
      for (const what of ['credential', 'push_secret'] as const) {
        const was = row[what]
        if (was === null) continue
        const place = places[what](row.brand_id, row.project_id)
        if (box.open(place, was) === undefined) lost += 1
        const sealed = box.reseal(place, was)
        if (sealed) moved += await store.updateSealed(ctx, what, { ...row, was, sealed })
      }
    }
    page = page.length < bite ? [] : await store.listSealedAfter(ctx, page.at(-1) ?? beforeAll, bite)
  }
  ctx.log.info({ moved, lost }, 'credentials of repositories re-encrypted with SIGNING_KEY')
}
