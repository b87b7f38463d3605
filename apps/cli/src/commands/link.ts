import type { CommonFlags, Context } from '../context.ts'
import { failed } from '../failure.ts'
import { writeLink } from '../settings/folder-link.ts'
import { boardId, readBoards } from './board-names.ts'

interface LinkFlags extends CommonFlags {
  readonly project?: string
}

/** Writes which board this folder is about, for everybody who has the repository. */
export async function link(context: Context, _: readonly string[], flags: LinkFlags): Promise<undefined> {
  if (context.environment.run) throw failed('inside a run nothing is linked')
  if (flags.board === undefined && flags.project === undefined)
    throw failed('nothing to link', 'crewhall link --board CORE')
  const host = await context.host()
  const id = flags.board === undefined ? undefined : await boardId(context, flags.board)
  const key = id === undefined ? undefined : (await readBoards(context)).find((each) => each.id === id)?.key
  const file = await writeLink(process.cwd(), {
    host,
    ...(key === undefined ? {} : { board: key }),
    ...(flags.project === undefined ? {} : { project: flags.project }),
  })
  context.printer.note(`Wrote ${file}.`)
  return undefined
}
