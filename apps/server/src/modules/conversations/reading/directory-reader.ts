import type { OutsideBrandCtx } from '#platform/ctx/ctx.ts'
import type {
  ClosedReason,
  FileTree,
  OpenFile,
  OpenTree,
  TreeEntry,
} from '#platform/shared-files/file-tree.ts'
import {
  type FileMark,
  isKey,
  markOf,
  markText,
  type Place,
  placeOf,
  placeText,
} from './session-file.rules.ts'
import { checkOf, generationOf, nextPiece, startOf } from './session-file.ts'
import { type Marks, type ReadSource, type SourceReader, type Step, Unreadable } from './source-reader.ts'

const limits = { depth: 8, entries: 20_000, file_bytes: 64 * 1_048_576 }
/** Of one source. */
const mostFiles = 20_000
/** A pass over files that have not changed gets on as well. */
const filesAtOnce = 1000

/** Session files below a directory of the workspace. Each is a conversation, named by its path. */
export const directoryReader = (tree: FileTree | undefined): SourceReader => ({
  async *read(ctx, source, { position, marks }) {
    const opened = tree ? await openTree(ctx, tree, source) : 'off'
    if (typeof opened === 'string') throw unreadable[opened]()
    try {
      yield* passOver(opened, placeOf(position), marks)
    } finally {
      await opened.close()
    }
  },
})

const openTree = (ctx: OutsideBrandCtx, tree: FileTree, { config }: ReadSource) =>
  tree.open(ctx, [String(ctx.brandId), ...String(config.directory).split('/')], limits)

async function* passOver(tree: OpenTree, from: Place, marks: Marks): AsyncGenerator<Step> {
  const pass = new Pass(from)
  for await (const entries of tree.entries(from.after)) {
    const files = entries.filter(({ path }) => isKey(path))
    const known = await marks.find(files.map(({ path }) => path))
    for (const entry of entries) {
      if (pass.files >= mostFiles) {
        pass.skip('too_many')
        yield { position: '', skipped: pass.skipped }
        return
      }
      yield* stepsOf(entry, markOf(known.get(entry.path)), pass)
      pass.leave(entry.path)
      if (pass.files % filesAtOnce === 0) yield { position: pass.position }
    }
  }
  yield { position: '', skipped: pass.skipped }
}

class Pass {
  #after: string
  files: number
  readonly skipped: Record<string, number>

  constructor({ after, files, skipped }: Place) {
    this.#after = after
    this.files = files
    this.skipped = { ...skipped }
  }

  get position(): string {
    return placeText({ after: this.#after, files: this.files, skipped: this.skipped })
  }

  skip(reason: string): void {
    this.skipped[reason] = (this.skipped[reason] ?? 0) + 1
  }

  leave(path: string): void {
    this.#after = path
    this.files += 1
  }
}

async function* stepsOf(entry: TreeEntry, mark: FileMark | undefined, pass: Pass): AsyncGenerator<Step> {
  if ('reason' in entry) return pass.skip(entry.reason)
  if (!entry.path.endsWith('.jsonl')) return pass.skip('other_kind')
  if (!isKey(entry.path)) return pass.skip('name')
  if (entry.size === 0 || mark?.seen === entry.seen) return
  const file = await entry.open()
  if (typeof file === 'string') return pass.skip(file)
  if (!file) return
  try {
    yield* piecesOf(file, entry.path, mark, pass)
  } catch (error) {
    if (!isOfDisk(error)) throw error
    pass.skip('io_error')
  } finally {
    await file.close()
  }
}

/** Up to the last whole line. The position stays before the file: its mark says how far it was read. */
async function* piecesOf(
  file: OpenFile,
  key: string,
  mark: FileMark | undefined,
  pass: Pass,
): AsyncGenerator<Step> {
  const generation = await generationOf(file)
  let piece = await nextPiece(file, await startOf(file, mark))
  while (piece) {
    const { text, from, end } = piece
    piece = await nextPiece(file, end)
    if (text === '') pass.skip('line_too_long')
    const next = { offset: end, check: await checkOf(file, end), seen: piece ? '' : file.seen }
    yield {
      conversation: {
        key,
        content: { native: text, place: `${generation}@${from.toString(36)}:` },
        mark: markText(next),
      },
      position: pass.position,
    }
  }
}

const isOfDisk = (error: unknown): boolean => error instanceof Error && 'syscall' in error

const unreadable: Readonly<Record<ClosedReason | 'off', () => Unreadable>> = {
  off: () => new Unreadable('directories_off', 'later', 'This installation reads no directories any more'),
  no_root: () => new Unreadable('root_missing', 'never', 'The directory of the installation is missing'),
  missing: () => new Unreadable('directory_missing', 'later', 'The directory is missing'),
  link: () => new Unreadable('directory_is_link', 'now', 'The directory is a link or a file'),
  owner: () => new Unreadable('directory_owner', 'now', 'The directory belongs to somebody else'),
  not_readable: () => new Unreadable('directory_not_readable', 'later', 'The directory may not be read'),
  io_error: () => new Unreadable('io_error', 'never', 'The disk returns errors'),
}
