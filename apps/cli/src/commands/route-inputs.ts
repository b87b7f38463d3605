import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import type { AnyRoute } from '@crewhall/contracts/route.ts'
import { failed, signInNeeded } from '../failure.ts'
import { isSession } from '../transport/credential.ts'

/** A session may do what a token never may (AUTH-G2): then no request is made. */
export function refuseToken({ auth, method, path }: AnyRoute, token: string | undefined): void {
  const needsSession =
    auth.kind === 'session' ||
    auth.kind === 'session_or_admin' ||
    (auth.kind === 'person' && auth.credential === 'session')
  if (needsSession && token !== undefined && !isSession(token))
    throw signInNeeded(
      `${method} ${path} needs the session of a person; a token may not do it`,
      'sign in as yourself: crewhall auth login, without --scopes and --with-token',
    )
  if (auth.kind === 'platform_admin' || auth.kind === 'desk')
    throw signInNeeded(
      `${method} ${path} is not for people: ${auth.kind === 'desk' ? 'only desks' : 'only admins of the platform'} may do it`,
      'crewhall api sends headers of your own',
    )
}

export async function textFrom(path: string): Promise<string> {
  try {
    return path === '-' ? await readAll(process.stdin) : await readFile(path, 'utf8')
  } catch (error) {
    throw failed(`${path} cannot be read: ${(error as Error).message}`)
  }
}

export async function fileFrom(path: string): Promise<File> {
  try {
    const name = path.split('/').at(-1) ?? 'file'
    return new File([await readFile(path)], name)
  } catch (error) {
    throw failed(`${path} cannot be read: ${(error as Error).message}`)
  }
}
