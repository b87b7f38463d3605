import { brandNotFound } from '@crewhall/contracts/identity/refusals.ts'
import { adminToken, route } from '@crewhall/contracts/route.ts'
import { changePhoto } from '@crewhall/contracts/workspaces/photos.ts'
import { z } from 'zod'

/** The upload of a photo by somebody who has not thought of a second one at the same time. */
export const naivePhoto = route({
  id: 'probe.naivePhoto',
  method: 'POST',
  path: '/api/v1/probe/brands/{brand_id}/members/{user_id}/photo',
  summary: 'Reads which object is there, stores the new one, then swaps them',
  auth: adminToken('brand:admin'),
  params: changePhoto.params,
  resources: { brand_id: 'brand', user_id: 'person' },
  missing: brandNotFound,
  upload: changePhoto.upload,
  responses: { 200: z.object({}) },
})
