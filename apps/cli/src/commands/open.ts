import { spawn } from 'node:child_process'
import type { CommonFlags, Context } from '../context.ts'
import { environmentOfChild } from '../environment.ts'
import { failed } from '../failure.ts'
import { type Page, pageNamed, pageOf } from './pages.ts'

interface OpenFlags extends CommonFlags {
  readonly print?: boolean
}

export async function open(
  context: Context,
  [said]: readonly string[],
  flags: OpenFlags,
): Promise<undefined> {
  return show(context, await pageOf(context, said), flags.print === true)
}

/** `--web`: the page of what the command would print. */
export async function openPage(context: Context, page: Page, word: string | undefined): Promise<undefined> {
  return show(context, await pageNamed(context, page, word), false)
}

/** At a terminal a browser opens it; a script gets its address. */
async function show(context: Context, path: string, isPrinted: boolean): Promise<undefined> {
  const address = `${await context.host()}/dashboard${path}`
  if (isPrinted || !context.printer.isTerminal) {
    context.printer.line(address)
    return undefined
  }
  await openAddress(context, address)
  return undefined
}

export async function openAddress(context: Context, address: string): Promise<void> {
  context.printer.note(`Opening ${address}`)
  const [program = '', ...args] = browserOf(context)
  await started(program, [...args, address])
}

function browserOf({ environment }: Context): readonly string[] {
  if (environment.browser !== undefined) return environment.browser.split(/\s+/)
  if (process.platform === 'darwin') return ['open']
  return process.platform === 'win32' ? ['explorer'] : ['xdg-open']
}

/** Told only whether it could be started: a browser lives longer than this command. */
function started(program: string, args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true, env: environmentOfChild() })
    child.on('error', () =>
      reject(failed(`${program} cannot be started`, 'name a browser with BROWSER, or use --print')),
    )
    child.on('spawn', () => {
      child.unref()
      resolve()
    })
  })
}
