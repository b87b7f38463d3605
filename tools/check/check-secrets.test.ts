import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkHistory } from './history-check.ts'
import { plantRepo } from './planted-repo.ts'
import { checkSecrets } from './secret-check.ts'

// Joined here, so that this file does not hold what is looked for.
const password = 'correct-horse'
const address = ['postgres', `//app:${password}@db.internal/app`].join(':')
const token = ['chp', 'a1B2'.repeat(9)].join('_')
const key = ['-----BEGIN EC', 'PRIVATE KEY-----'].join(' ')

const git = (root: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.test', ...args], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim()

const commitAll = (root: string, message: string) => {
  git(root, 'add', '-A')
  git(root, 'commit', '-qm', message)
  return git(root, 'rev-parse', 'HEAD')
}

test('a password in the address of a database is found in its line and is not printed', async () => {
  const found = await checkSecrets([['deploy/a.conf', `first\nurl = ${address}\n`]], [])
  expect(found).toEqual([
    { path: 'deploy/a.conf', line: 2, rule: 'secret', message: 'looks like PostgreSQLConnection' },
  ])
})

test('a listed secret passes with a reason, in its file alone, and must still be there', async () => {
  const listed = { path: 'a.md', holds: password, reason: 'an example' }
  expect(await checkSecrets([['a.md', address]], [listed])).toEqual([])
  const rules = async (path: string, text: string, reason: string) =>
    (await checkSecrets([[path, text]], [{ ...listed, reason }])).map(({ rule }) => rule)
  expect(await rules('a.md', address, ' ')).toEqual(['secret'])
  expect(await rules('b.md', address, 'an example')).toEqual(['secret', 'secret-list'])
  expect(await rules('a.md', 'nothing', 'an example')).toEqual(['secret-list'])
})

test('binary files are not searched', async () => {
  expect(await checkSecrets([['a.png', `\0${address}`]], [])).toEqual([])
})

test('a token that a later commit removed is found where it was added, until it is listed', () => {
  const root = plantRepo({ 'a.md': `first\n${token}\n` })
  const commit = commitAll(root, 'one')
  writeFileSync(join(root, 'a.md'), 'first\n')
  commitAll(root, 'two')
  expect(checkHistory(root, [])).toEqual({
    violations: [
      {
        path: `${commit.slice(0, 12)}:a.md`,
        line: 2,
        rule: 'token',
        message: 'the history holds an access token: revoke it, then list it',
      },
    ],
    commits: 2,
  })
  const listed = { commit, path: 'a.md', reason: 'revoked' }
  expect(checkHistory(root, [listed]).violations).toEqual([])
  expect(checkHistory(root, [{ ...listed, reason: '' }]).violations).toHaveLength(1)
  const stale = checkHistory(root, [listed, { ...listed, path: 'b.md' }]).violations
  expect(stale.map(({ rule }) => rule)).toEqual(['revoked-list'])
})

test('a key on a branch, a token in a message and one that a merge brought in are found', () => {
  const root = plantRepo({ 'a.md': 'first\n' })
  commitAll(root, `one\n\nwith ${token}`)
  const main = git(root, 'branch', '--show-current')
  git(root, 'checkout', '-qb', 'side')
  writeFileSync(join(root, 'b.pem'), `${key}\n`)
  commitAll(root, 'two')
  git(root, 'checkout', '-q', main)
  git(root, 'merge', '-q', '--no-ff', '--no-commit', 'side')
  writeFileSync(join(root, 'c.md'), `${token}\n`)
  commitAll(root, 'three')
  const found = checkHistory(root, []).violations.map(({ path, rule }) => `${path.slice(13)} ${rule}`)
  expect(new Set(found)).toEqual(new Set(['message token', 'b.pem private-key', 'c.md token']))
})

test('nothing is said of the history of a shallow clone', () => {
  const root = plantRepo({ 'a.md': token })
  commitAll(root, 'one')
  const clone = mkdtempSync(join(tmpdir(), 'shallow-'))
  onTestFinished(() => rmSync(clone, { recursive: true, force: true }))
  git(root, 'clone', '-q', '--depth=1', ['file:', '', root].join('/'), clone)
  expect(checkHistory(clone, [])).toEqual({ violations: [], commits: undefined })
})
