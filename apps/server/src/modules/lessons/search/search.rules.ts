import type { AnchorPlace } from '@crewhall/contracts/lessons/anchors.ts'

/** LES-G15: the folders around a place, the nearest first, by whole segments. */
export function foldersAround({ path }: AnchorPlace): string[] {
  const folders: string[] = []
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    folders.push(path.slice(0, end))
  return folders
}

/** LES-G11: all of them have to occur. */
export const wordsOf = (q = ''): string[] => [
  ...new Set(
    q
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== ''),
  ),
]

/** `billing` and `billing/` are the same area. */
export const areaOf = (scope: string): string => scope.replace(/(?<!\/)\/+$/, '')
