import { dropPhotoObject, sweepPhotos } from '@crewhall/contracts/workspaces/photos.ts'
import { onJob } from '#platform/jobs/job-handler.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { dropObject, sweepObjects } from './photo-sweep.service.ts'

export const photoJobs = (storage: Storage) => [
  onJob(dropPhotoObject, (ctx, { object_key }) => dropObject(ctx, storage, object_key)),
  onJob(sweepPhotos, (ctx) => sweepObjects(ctx, storage)),
]
