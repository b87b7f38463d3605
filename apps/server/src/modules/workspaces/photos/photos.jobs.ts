import { dropPhotoObject, sweepPhotos } from '@crewhall/contracts/workspaces/photos.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { PictureObjects } from '#platform/storage/picture-objects.ts'
import { photoRows } from './photos.service.ts'

export const photoJobs = (objects: PictureObjects) => [
  onJob(dropPhotoObject, (ctx, { object_key }) => objects.drop(ctx, object_key)),
  onJob(sweepPhotos, (ctx) => objects.sweep(ctx, photoRows)),
]
