import { dropDeskPhotoObject, sweepDeskPhotos } from '@crewhall/contracts/fleet/desk-photos.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { PictureObjects } from '#platform/storage/picture-objects.ts'
import { photoRows } from './desk-photos.service.ts'

export const deskPhotoJobs = (objects: PictureObjects) => [
  onJob(dropDeskPhotoObject, (ctx, { object_key }) => objects.drop(ctx, object_key)),
  onJob(sweepDeskPhotos, (ctx) => objects.sweep(ctx, photoRows)),
]
