import type { Ids, StoredNode } from './identity.rules.ts'

interface Before {
  readonly folders: readonly StoredNode[]
  readonly files: readonly StoredNode[]
  /** Paths of the files that are still there, by id. */
  readonly movedTo: ReadonlyMap<number, string>
}

/**
 * A folder is where it was. If nothing is there any more, and all files of it that still exist went to one new folder
 * under their old names, the folder has moved with them.
 */
export function followFolders({ folders, files, movedTo }: Before, ids: Ids): void {
  const gone = new Map<string, StoredNode>()
  for (const folder of folders)
    if (!ids.take('folder', folder.path, '', folder.nid)) gone.set(folder.path, folder)
  if (gone.size === 0) return
  const targets = new Map<string, Set<string>>()
  for (const { nid, path } of files) {
    const now = movedTo.get(nid)
    if (now === undefined || now === path) continue
    for (const folder of foldersAbove(path)) {
      if (!gone.has(folder)) continue
      const known = targets.get(folder) ?? new Set()
      targets.set(folder, known.add(targetOf(folder, path, now)))
    }
  }
  const claims = new Map<string, string[]>()
  for (const [folder, found] of targets) {
    const [target = ''] = found
    if (found.size !== 1 || target === '') continue
    claims.set(target, [...(claims.get(target) ?? []), folder])
  }
  for (const [target, [folder = '', ...others]] of claims) {
    const node = gone.get(folder)
    if (node && others.length === 0) ids.take('folder', target, '', node.nid)
  }
}

/** Where a folder would be now, going by one of its files; '' if the file has not kept its place in it. */
function targetOf(folder: string, path: string, now: string): string {
  const inside = path.slice(folder.length)
  return now.endsWith(inside) ? now.slice(0, -inside.length) : ''
}

/** From the nearest to the root, which is ''. */
export function foldersAbove(path: string): string[] {
  const folders: string[] = []
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1))
    folders.push(path.slice(0, at))
  return [...folders, '']
}
