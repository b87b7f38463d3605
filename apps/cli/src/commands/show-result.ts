import { writeFile } from 'node:fs/promises'
import type { Context } from '../context.ts'
import { failed } from '../failure.ts'
import type { Answer } from '../transport/caller.ts'
import type { RouteCommand, RouteFlags } from './route-command.ts'

/** Prints what a route returned. */
export async function showResult(
  context: Context,
  command: RouteCommand,
  answer: Answer,
  flags: RouteFlags,
): Promise<void> {
  const { printer } = context
  if (answer.headers.get('dry-run') === 'true') printer.note('Nothing was written.')
  if (answer.body instanceof Uint8Array) {
    if (flags.toFile !== undefined)
      await writeFile(flags.toFile, answer.body).catch((error: Error) => {
        throw failed(`${flags.toFile} cannot be written: ${error.message}`)
      })
    else if (printer.isTerminal && !/^text\//.test(answer.headers.get('content-type') ?? ''))
      throw failed('the result is not text', 'name a file with --to-file, or send it to a program')
    else if (printer.isTerminal) printer.text(Buffer.from(answer.body).toString())
    else printer.bytes(answer.body)
    return
  }
  if (answer.body !== undefined) await printer.result(answer.body, command.view)
}
