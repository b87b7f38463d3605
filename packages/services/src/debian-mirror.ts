import { readFileSync } from 'node:fs'
import { run } from './commands.ts'

export const debianKeyring = '/usr/share/keyrings/debian-archive-keyring.gpg'

/** The mirror this machine already uses for its own release, which serves the other releases too. */
export async function findDebianMirror(): Promise<string> {
  const release = /^VERSION_CODENAME=(\w+)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1]
  const format = '$' + '(REPO_URI) $' + '(RELEASE) $' + '(COMPONENT)'
  const targets = await run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'])
  for (const line of targets.split('\n')) {
    const [uri, suite, component] = line.split(' ')
    if (uri && suite === release && component === 'main') return uri
  }
  throw new Error('No Debian mirror among the apt sources of this machine')
}
