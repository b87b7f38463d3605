import { checkLeaks } from '../check/leak-check.ts'
import type { Lock } from '../check/lock-check.ts'

export interface ImageFile {
  /** From the root of the image, without a slash in front. */
  readonly path: string
  readonly kind: 'file' | 'folder' | 'link'
  readonly mode: number
  readonly uid: number
  /** Text of a file that may be one. */
  readonly text?: string
}

interface ImageFault {
  readonly path: string
  readonly fault: string
}

const testSource =
  /(^|\/)(test|tests|__tests__|conformance|e2e|bench|fixtures|testkit)\/|\.(test|spec)\.[cm]?[jt]sx?$/
const secretName = /(^|\/)(\.env(\..*)?|\.npmrc|\.netrc|\.git|\.ssh|id_[a-z0-9]+|[^/]+\.(pem|key|p12|pfx))$/
/** What somebody who got in would look for first. */
const tools = /(^|\/)(npm|npx|yarn|corepack|apt|apt-get|dpkg|perl|curl|wget|su|sudo|mount|bash)$/
const shells = /(^|\/)(sh|dash)$/

/** What must not be in an image, each with its reason. `lock` says which packages are for production. */
export function findImageFaults(
  files: readonly ImageFile[],
  lock: Lock,
  { has_shell = false }: { readonly has_shell?: boolean } = {},
): ImageFault[] {
  return files.flatMap((file) => faultsOf(file, lock, has_shell).map((fault) => ({ path: file.path, fault })))
}

function faultsOf(file: ImageFile, lock: Lock, hasShell: boolean): string[] {
  const { path, kind, mode, uid, text } = file
  const isProgram = kind !== 'folder' && (mode & 0o111) !== 0 && !path.includes('node_modules/')
  const faults = [
    kind !== 'link' && (mode & 0o6000) !== 0 && 'runs with the rights of its owner',
    kind !== 'link' && (mode & 0o002) !== 0 && (mode & 0o1000) === 0 && 'can be written by everybody',
    uid !== 0 && 'belongs to somebody other than root',
    testSource.test(`${path}${kind === 'folder' ? '/' : ''}`) && 'is the source of a test',
    secretName.test(path) && 'has the name of a secret',
    isProgram && tools.test(path) && 'is a tool that the product does not use',
    isProgram && !hasShell && shells.test(path) && 'is a shell',
    developmentFault(path, kind, lock),
    ...(text === undefined ? [] : checkLeaks('/app', path, text).map(({ message }) => message)),
  ]
  return faults.filter((fault) => typeof fault === 'string')
}

const packageFolder = /^app\/((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@.][^/]*)$/

function developmentFault(path: string, kind: ImageFile['kind'], { packages = {} }: Lock): string | false {
  const name = packageFolder.exec(path)?.[1]
  if (name === undefined || kind === 'file') return false
  const entry = packages[name]
  if (!entry) return 'is a package that the lock does not have'
  return entry.dev === true && 'is a package for development'
}
