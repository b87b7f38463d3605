import type { HostilePicture } from './hostile-picture.ts'
import { bombs } from './hostile-pictures-bombs.ts'
import { brokenPictures } from './hostile-pictures-broken.ts'
import { disguises } from './hostile-pictures-disguises.ts'
import { oddPictures } from './hostile-pictures-odd.ts'

/** Files that people send who mean no good, and files that honest cameras and programs write. */
export const hostilePictures = (): HostilePicture[] => [
  ...oddPictures(),
  ...disguises(),
  ...bombs(),
  ...brokenPictures(),
]
