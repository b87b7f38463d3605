import { z } from 'zod'
import { bytes } from '../bytes.ts'
import { job } from '../job.ts'
import {
  fileMissing,
  fileTooLarge,
  imageStorageAbsent,
  imageStorageAway,
  pictureUpload,
} from '../pictures.ts'
import { refusal } from '../refusal.ts'
import { route, session } from '../route.ts'
import { Uuid } from '../wire.ts'
import { oneDesk } from './desk.ts'
import { deskNotFound } from './refusals.ts'

/** ENV-28, ENV-G8: also for an empty file, and for one that is not the image it claims to be. */
export const notADeskPhoto = refusal(400, 'File must be PNG, JPG, GIF or WebP')
export const deskPhotoNotFound = refusal(404, 'Photo not found')

const ofDesk = { ...oneDesk, path: '/api/v1/environments/{workstation_id}/image' } as const

export const getDeskPhoto = route({
  ...ofDesk,
  id: 'fleet.getDeskPhoto',
  method: 'GET',
  summary: 'Get the photo of a desk',
  description: 'A JPEG of 256 by 256 pixels. The URL stays the same; ask again with `If-None-Match`.',
  auth: session(),
  responses: { 200: bytes('image/jpeg') },
  refusals: [deskNotFound, deskPhotoNotFound, imageStorageAway, imageStorageAbsent],
})

export const changeDeskPhoto = route({
  ...ofDesk,
  id: 'fleet.changeDeskPhoto',
  method: 'POST',
  summary: 'Upload the photo of a desk',
  description:
    'Send a PNG, JPG, GIF or WebP of at most 5 MB as multipart field `file`. It is cut to a square from the middle and stored as a JPEG of 256 by 256 pixels, without metadata. The one before is removed.',
  auth: session(),
  upload: pictureUpload,
  responses: { 200: z.object({ env_id: Uuid, image_url: z.string() }) },
  refusals: [fileMissing, fileTooLarge, notADeskPhoto, deskNotFound, imageStorageAway, imageStorageAbsent],
})

export const removeDeskPhoto = route({
  ...ofDesk,
  id: 'fleet.removeDeskPhoto',
  method: 'DELETE',
  summary: 'Remove the photo of a desk',
  description: 'Repeating the call changes nothing.',
  auth: session(),
  responses: { 200: z.object({ env_id: Uuid, image_url: z.null() }) },
  refusals: [deskNotFound],
})

/** Enqueued with the change that replaced the object, so that none is forgotten. */
export const dropDeskPhotoObject = job({
  name: 'fleet.drop-photo-object',
  payload: z.object({ object_key: z.string().max(200) }),
  retry_seconds: [10, 60, 600, 7200, 28_800],
  batch_size: 8,
})

/** Deletes objects whose change never committed. */
export const sweepDeskPhotos = job({
  name: 'fleet.sweep-photos',
  payload: z.object({}),
  cron: '47 * * * *',
  batch_size: 1,
})
