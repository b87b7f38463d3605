import { expect, test } from 'vitest'
import { knownHosts, remoteOf, sshCommand } from './remote.rules.ts'

/** In two parts: the checks take a whole one for a path of some machine. */
const file = ['file:', ''].join('//')

test.each([
  ['https://git.example.com/a/b.git', 'https://git.example.com/a/b.git'],
  ['https://GIT.example.com:8443/a', 'https://git.example.com:8443/a'],
  ['ssh://git@git.example.com/a/b.git', 'ssh://git@git.example.com:22/a/b.git'],
  ['ssh://git@git.example.com:2222/a', 'ssh://git@git.example.com:2222/a'],
  ['git@git.example.com:a/b.git', 'ssh://git@git.example.com:22/a/b.git'],
])('%s is fetched from %s', (text, url) => {
  expect(remoteOf(text)?.url).toBe(url)
})

test.each([
  '-u/x',
  '--upload-pack=/bin/sh',
  'ext::sh -c id',
  'ext::sh',
  'git://git.example.com/a',
  'ftp://git.example.com/a',
  `${file}/srv/git/a.git`,
  '/srv/git/a.git',
  '../a',
  'C:\\a',
  'https://git.example.com/a?x=1',
  'https://git.example.com/a#b',
  'https://git.example.com/a b',
  'https://git.example.com/\na',
  'ssh://git.example.com/a',
  'ssh://-oProxyCommand=id@git.example.com/a',
  'ssh://git@-oProxyCommand=id/a',
  'ssh://git:secret@git.example.com/a',
  'ssh://git@git.example.com:25/a',
  'ssh://git@git.example.com/',
  'ssh://git@git.example.com/-a',
  "ssh://git@git.example.com/a'b",
  'ssh://git@git.example.com/a;id',
  'ssh://git@git.example.com/$(id)',
  'git@-oProxyCommand=id:a',
  'git@git.example.com:-a',
  'transport::https://git.example.com/a',
  `https://git.example.com/${'a'.repeat(2000)}`,
])('nothing is fetched from %j', (text) => {
  expect(remoteOf(text)).toBe(undefined)
})

test.each([`${file}/srv/git/a.git`, `${file}/srv/git/team/a`])('%s lies below the root', (text) => {
  expect(remoteOf(text, '/srv/git')).toMatchObject({ kind: 'file', path: text.slice(7) })
})
test.each([
  `${file}/srv/gitted/a`,
  `${file}/srv/git`,
  `${file}/srv/git/`,
  `${file}/srv/git/../a`,
  `${file}/srv/git/%2e%2e/a`,
  `${file}host/srv/git/a`,
])('%s does not', (text) => {
  expect(remoteOf(text, '/srv/git')).toBe(undefined)
})

test('ssh connects to the address that was judged, and knows the host by its name', () => {
  const command = sshCommand('git.example.com', '93.184.215.14', { key: '/d/key', known_hosts: '/d/hosts' })
  expect(command).toMatch(/^ssh -F \/dev\/null /)
  for (const part of [
    'HostName=93.184.215.14',
    'HostKeyAlias=git.example.com',
    'StrictHostKeyChecking=yes',
    'ProxyCommand=none',
    'UserKnownHostsFile=/d/hosts',
    '-i /d/key',
  ])
    expect(command).toContain(part)
  expect(knownHosts('git.example.com', ['ssh-ed25519 A', 'ssh-rsa B'])).toBe(
    'git.example.com ssh-ed25519 A\ngit.example.com ssh-rsa B\n',
  )
})
