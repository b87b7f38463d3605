/** An address of a repository, read once: git is given what was judged, never the text that was sent. */
export type Remote =
  | { readonly kind: 'web'; readonly url: string; readonly judged: string }
  | {
      readonly kind: 'ssh'
      readonly url: string
      readonly judged: string
      readonly host: string
      readonly port: number
    }
  | { readonly kind: 'file'; readonly url: string; readonly path: string }

const longest = 2000
/** Nothing that a shell, a list of options or another parser could read differently. */
const plain = /^[A-Za-z0-9][\w.~:/?#[\]@!&()*+,;=%-]*$/
const user = /^[A-Za-z_][\w.-]{0,63}$/
/** A name or an address that no program takes for an option. */
const hostForm = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])$/
const pathForm = /^\/(?!-)[\w.~+@%,=-]+(?:\/[\w.~+@%,=-]+)*\/?$/
const shortForm = /^([A-Za-z_][\w.-]*)@([A-Za-z0-9.-]+):(?![/\d-])(\S+)$/

/** Undefined where nothing may be fetched from such an address. Whether its host may be called is judged apart. */
export function remoteOf(text: string, fileRoot?: string): Remote | undefined {
  if (text.length > longest || !plain.test(text)) return undefined
  const short = shortForm.exec(text)
  if (short) return sshOf(`ssh://${short[1]}@${short[2]}/${short[3]}`)
  if (/^https?:\/\//i.test(text)) return webOf(text)
  if (/^ssh:\/\//i.test(text)) return sshOf(text)
  return /^file:\/\/\//i.test(text) ? fileOf(text, fileRoot) : undefined
}

function webOf(text: string): Remote | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  // A query or a fragment would be cut off or sent by git as it likes.
  if (url.search || url.hash || text.includes('?') || text.includes('#')) return undefined
  return { kind: 'web', url: url.href, judged: text }
}

function sshOf(text: string): Remote | undefined {
  if (!URL.canParse(text)) return undefined
  const { username, password, hostname, port: given, pathname, search, hash } = new URL(text)
  if (!user.test(username) || password || search || hash || !pathForm.test(pathname)) return undefined
  // The parser leaves hosts of unknown schemes as they are; judged is what this one makes of it.
  const asWeb = `https://${hostname}/`
  if (!URL.canParse(asWeb)) return undefined
  const host = new URL(asWeb).hostname
  if (!hostForm.test(host)) return undefined
  const port = given === '' ? 22 : Number(given)
  if (port !== 22 && port < 1024) return undefined
  const judged = port === 22 ? `https://${host}/` : `https://${host}:${port}/`
  return {
    kind: 'ssh',
    url: `ssh://${username}@${host}:${port}${pathname}`,
    judged,
    host: host.replace(/^\[|\]$/g, ''),
    port,
  }
}

function fileOf(text: string, root: string | undefined): Remote | undefined {
  const path = text.slice('file://'.length)
  const parts = path.split('/').slice(1)
  if (root === undefined || text.includes('%') || parts.some((part) => part === '..' || part === '.'))
    return undefined
  const within = path.startsWith(`${root.replace(/(?<!\/)\/+$/, '')}/`) && !path.endsWith('/')
  if (!pathForm.test(path) || !within) return undefined
  return { kind: 'file', url: `file://${path}`, path }
}

/** The file of known hosts for one remote. `HostKeyAlias` makes ssh look for the name whatever it connects to. */
export const knownHosts = (host: string, keys: readonly string[]): string =>
  keys.map((key) => `${host} ${key}\n`).join('')

interface SshFiles {
  readonly key: string
  readonly known_hosts: string
}

/** Fixed but for the address and our own files, which have plain names. */
export const sshCommand = (host: string, address: string, files: SshFiles): string =>
  [
    'ssh -F /dev/null',
    ...[
      'BatchMode=yes',
      'StrictHostKeyChecking=yes',
      `UserKnownHostsFile=${files.known_hosts}`,
      'GlobalKnownHostsFile=/dev/null',
      'UpdateHostKeys=no',
      'VerifyHostKeyDNS=no',
      `HostName=${address}`,
      `HostKeyAlias=${host}`,
      'CanonicalizeHostname=no',
      'CheckHostIP=no',
      'ProxyCommand=none',
      'ProxyJump=none',
      'PermitLocalCommand=no',
      'ControlMaster=no',
      'ControlPath=none',
      'ForwardAgent=no',
      'ForwardX11=no',
      'ClearAllForwardings=yes',
      'IdentityAgent=none',
      'IdentitiesOnly=yes',
      'PreferredAuthentications=publickey',
      'ConnectTimeout=20',
    ].map((option) => `-o ${option}`),
    `-i ${files.key}`,
  ].join(' ')
