import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { configSchema, loadConfig } from './config.ts'
import { listSecretSettings } from './secret-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'secret-files-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function fileOf(content: string): string {
  files += 1
  const path = join(folder, `secret-${files}`)
  writeFileSync(path, content)
  return path
}

const database = 'postgres://app:hidden-words@127.0.0.1:1/crewhall'
const bare = { DATABASE_URL: database, REDIS_URL: 'redis://127.0.0.1:2' }
const key = 'a-key-of-more-than-32-characters-0123'

function messageOf(env: Record<string, string>): string {
  try {
    loadConfig(env)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('the configuration was taken')
}

/** A value that each secret setting accepts. */
function sampleOf(name: string): string {
  if (name.startsWith('DATABASE_') || name.endsWith('DATABASE_URL')) return database
  if (name === 'REDIS_URL') return 'redis://:hidden-words@127.0.0.1:2'
  if (name === 'SMTP_URL') return 'smtp://app:hidden-words@127.0.0.1:3'
  return name === 'ADMIN_KEY_DIGESTS' ? 'ab'.repeat(32) : key
}
const secrets = listSecretSettings(configSchema)

test('every setting that holds a password, a key or a digest of one is a secret', () => {
  expect(secrets.toSorted()).toEqual([
    'ADMIN_KEY_DIGESTS',
    'CODE_INDEX_DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'DATABASE_OWNER_URL',
    'DATABASE_URL',
    'EMBEDDINGS_API_KEY',
    'LLM_API_KEY',
    'MEMORY_DATABASE_URL',
    'REDIS_URL',
    'S3_ACCESS_KEY_ID',
    'S3_SECRET_ACCESS_KEY',
    'SIGNING_KEY',
    'SIGNING_KEYS_ACCEPTED',
    'SMTP_URL',
  ])
})

test('a new setting that sounds like a secret is one', () => {
  const named = Object.keys(configSchema.shape).filter((name) =>
    /PASSWORD|SECRET|_KEY$|_KEYS_|TOKEN$|^(.*_)?(DATABASE|REDIS|SMTP)(_OWNER)?_URL$/.test(name),
  )
  // Public halves of keys, which everybody may know.
  const open = ['MESH_HUB_PUBLIC_KEY', 'SIDECAR_ROOT_KEY']
  expect(named.filter((name) => !secrets.includes(name) && !open.includes(name))).toEqual([])
})

test('no file setting has the name of another setting', () => {
  const names = Object.keys(configSchema.shape)
  expect(secrets.filter((name) => names.includes(`${name}_FILE`))).toEqual([])
})

test.for(secrets)('%s is read from a file as from the environment', (name) => {
  const value = sampleOf(name)
  const { [name]: _, ...rest } = bare as Record<string, string>
  const fromFile = loadConfig({ ...rest, [`${name}_FILE`]: fileOf(value) })
  expect(fromFile).toEqual(loadConfig({ ...rest, [name]: value }))
})

test.for(secrets)('%s is refused when it is set and named as a file', (name) => {
  const said = messageOf({ ...bare, [name]: sampleOf(name), [`${name}_FILE`]: fileOf(sampleOf(name)) })
  expect(said).toContain(`${name}: is set, and ${name}_FILE as well; unset one of them`)
  expect(said).not.toContain(sampleOf(name))
})

test.for([
  ['one line break', `${key}\n`, key],
  ['one line break of Windows', `${key}\r\n`, key],
  ['no line break', key, key],
])('%s at the end is no part of the secret', ([, content = '', read]) => {
  expect(loadConfig({ ...bare, LLM_API_KEY_FILE: fileOf(content) }).LLM_API_KEY).toBe(read)
})

test('of two line breaks the first one stays, as do spaces', () => {
  expect(loadConfig({ ...bare, LLM_API_KEY_FILE: fileOf(' two words \n\n') }).LLM_API_KEY).toBe(
    ' two words \n',
  )
})

test('a link to a file is followed, as Kubernetes mounts secrets', () => {
  const link = join(folder, 'link')
  symlinkSync(fileOf(key), link)
  expect(loadConfig({ ...bare, SIGNING_KEY_FILE: link }).SIGNING_KEY).toBe(key)
})

test('an empty name of a file is as good as none', () => {
  expect(loadConfig({ ...bare, SIGNING_KEY: key, SIGNING_KEY_FILE: '' }).SIGNING_KEY).toBe(key)
})

test.for([
  ['is not there', join(folder, 'none'), 'the file cannot be read (ENOENT)'],
  ['is a folder', folder, 'must be the path of a file'],
  ['is a device', '/dev/zero', 'must be the path of a file'],
  ['is empty', fileOf(''), 'the file is empty'],
  ['holds a line break alone', fileOf('\n'), 'the file is empty'],
  ['is too large', fileOf('x'.repeat(65_537)), 'the file is larger than 65536 bytes'],
])('a file that %s is a fault, which names the setting and no path', ([, path = '', fault]) => {
  const said = messageOf({ ...bare, SIGNING_KEY_FILE: path })
  expect(said).toBe(`The configuration is not valid:\n  SIGNING_KEY_FILE: ${fault}`)
})

test('a secret in the place of a path is not told', () => {
  const said = messageOf({ ...bare, SIGNING_KEY_FILE: key })
  expect(said).toContain('SIGNING_KEY_FILE: the file cannot be read')
  expect(said).not.toContain(key)
})

test('a content that is no valid value is not told', () => {
  const said = messageOf({ ...bare, SMTP_URL_FILE: fileOf('hidden-words') })
  expect(said).toContain('SMTP_URL: must be a URL (smtp, smtps)')
  expect(said).not.toContain('hidden-words')
})
