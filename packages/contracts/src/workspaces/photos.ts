import { z } from 'zod'
import { bytes } from '../bytes.ts'
import { adminRequired, brandNotFound, scopeMissing } from '../identity/refusals.ts'
import { job } from '../job.ts'
import {
  fileMissing,
  fileTooLarge,
  imageStorageAbsent,
  imageStorageAway,
  pictureUpload,
} from '../pictures.ts'
import { refusal } from '../refusal.ts'
import { adminToken, route, token } from '../route.ts'
import { memberNotFound } from './refusals.ts'

/** MBR-14: also for files that are not the image they claim to be, and for images with too many pixels. */
export const notAPhoto = refusal(400, 'File must be PNG, JPG or GIF')
export const photoNotFound = refusal(404, 'Photo not found')

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
  summary: 'Get the photo of a member',
  description:
    'Use the URL in the `photo` field of a member: `v` changes with the photo, so the response can be cached. Photos are private to the workspace, so this requires a credential.',
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
  summary: 'Upload the photo of a member',
  description:
    'Send a PNG, JPG or GIF of at most 5 MB as multipart field `file`. It is stored re-encoded and without metadata. Returns the new URL.',
  auth: adminToken('brand:admin'),
  upload: pictureUpload,
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
  summary: 'Remove the photo of a member',
  description: 'Repeating the call changes nothing.',
  auth: adminToken('brand:admin'),
  responses: { 200: z.object({ photo: z.null() }) },
  refusals: [brandNotFound, scopeMissing, adminRequired, memberNotFound],
})

/** Enqueued with the change that replaced the object, so that none is forgotten. */
export const dropPhotoObject = job({
  name: 'workspaces.drop-photo-object',
  payload: z.object({ object_key: z.string().max(200) }),
  retry_seconds: [10, 60, 600, 7200, 28_800],
  batch_size: 8,
})

/** Deletes objects whose change never committed. */
export const sweepPhotos = job({
  name: 'workspaces.sweep-photos',
  payload: z.object({}),
  cron: '41 * * * *',
  batch_size: 1,
})
