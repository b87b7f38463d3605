import { imageStorageAbsent, imageStorageAway } from '@crewhall/contracts/pictures.ts'
import type { Storage } from '#platform/storage/storage.ts'
import { createSmallObjects, type SmallObjects } from '#platform/storage/uploaded-objects.ts'

/** Pictures that users upload. */
export type PictureObjects = SmallObjects

/** MBR-16, ENV-30, ENV-34: in the words of pictures. */
export const createPictureObjects = (storage: Storage, kind: `${string}-photos`): PictureObjects =>
  createSmallObjects(storage, kind, { away: imageStorageAway, absent: imageStorageAbsent })
