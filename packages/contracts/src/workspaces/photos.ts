import { z } from 'zod'
import { bytes } from '../bytes.ts'
import { adminRequired, brandNotFound, scopeMissing } from '../identity/refusals.ts'
import { job } from '../job.ts'
import { refusal } from '../refusal.ts'
import { adminToken, route, token } from '../route.ts'
import { memberNotFound } from './refusals.ts'

export const fileTooLarge = refusal(400, 'File too large (max 5MB)')
/** MBR-14: also for files that claim to be a picture and are none, and for pictures of too many pixels. */
export const notAPhoto = refusal(400, 'File must be PNG, JPG or GIF')
export const fileMissing = refusal(422, 'file: is required')
export const photoNotFound = refusal(404, 'Photo not found')
/** Told as outages: the same call may succeed later. */
export const imageStorageAway = refusal(502, 'Image storage cannot be reached')
export const imageStorageAbsent = refusal(503, 'Image storage not configured')

/** MBR-G6: five binary megabytes, all of them allowed. */
const maxBytes = 5_242_880
const maxId = 2_147_483_647

const member = z.object({
  brand_id: z.string(),
  user_id: z
    .string()
    .regex(/^[1-9]\d{0,9}$/)
    .transform(Number)
    .refine((id) => id <= maxId)
    .meta({ override: { type: 'integer', minimum: 1, maximum: maxId } }),
})
const path = '/api/v1/brands/{brand_id}/members/{user_id}/photo'
const ofMember = {
  path,
  params: member,
  resources: { brand_id: 'brand', user_id: 'person' },
  missing: memberNotFound,
} as const

export const getPhoto = route({
  id: 'workspaces.getPhoto',
  method: 'GET',
  ...ofMember,
  summary: 'The picture of a member; `v` tells versions apart, so that a copy may be kept',
  description:
    'The address comes from the `photo` field of a member. Private to the workspace, so it needs a credential.',
  auth: token('brand:read'),
  query: z.object({ v: z.string().max(64).optional() }),
  responses: { 200: bytes('image/jpeg', 'image/png') },
  refusals: [
    brandNotFound,
    scopeMissing,
    memberNotFound,
    photoNotFound,
    imageStorageAway,
    imageStorageAbsent,
  ],
})

export const changePhoto = route({
  id: 'workspaces.changePhoto',
  method: 'POST',
  ...ofMember,
  summary: 'Gives a member a picture: PNG, JPG or GIF, kept re-encoded and without metadata',
  description: 'Send the file as multipart field `file`, at most 5 MB. The answer has the new address.',
  auth: adminToken('brand:admin'),
  upload: { field: 'file', max_bytes: maxBytes, too_large: fileTooLarge, missing: fileMissing },
  responses: { 200: z.object({ photo: z.string() }) },
  refusals: [
    brandNotFound,
    scopeMissing,
    adminRequired,
    fileMissing,
    fileTooLarge,
    notAPhoto,
    memberNotFound,
    imageStorageAway,
    imageStorageAbsent,
  ],
})

export const removePhoto = route({
  id: 'workspaces.removePhoto',
  method: 'DELETE',
  ...ofMember,
  summary: 'Takes the picture of a member away; nothing happens when there is none',
  description: 'Repeating the call changes nothing.',
  auth: adminToken('brand:admin'),
  responses: { 200: z.object({ photo: z.null() }) },
  refusals: [brandNotFound, scopeMissing, adminRequired, memberNotFound],
})

/** Enqueued with the change that stopped naming the object, so that none is forgotten. */
export const dropPhotoObject = job({
  name: 'workspaces.drop-photo-object',
  payload: z.object({ object_key: z.string().max(200) }),
  retry_seconds: [10, 60, 600, 7200, 28_800],
  batch_size: 8,
})

/** Finds objects whose change never committed. */
export const sweepPhotos = job({
  name: 'workspaces.sweep-photos',
  payload: z.object({}),
  cron: '41 * * * *',
  batch_size: 1,
})
