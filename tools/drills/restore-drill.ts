import { randomInt } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createStorage, type Storage } from '@crewhall/server/platform/storage/storage.ts'
import { isRoot } from '@crewhall/services/debian-packages.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { json, newToken, type SignedUp, signUp } from '@crewhall/testkit/people.ts'
import {
  endOfProcess,
  runProcess,
  type ServerProcess,
  startProcess,
} from '@crewhall/testkit/server-process.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { BackedUpPostgres } from './backed-up-postgres.ts'
import type { Drill } from './drill.ts'

/** A table is dropped while writers write; the database is put back to the moment before, from a backup that pgBackRest made. */
export const restoreDrill: Drill = {
  name: 'restore',
  async obstacle() {
    return isRoot ? undefined : 'it needs root, for a Debian in a folder'
  },
  async run(check) {
    const work = mkdtempSync(join(tmpdir(), 'restore-drill-'))
    const postgres = await BackedUpPostgres.make(work)
    const { s3 } = readServiceFacts()
    const prefixes = [`${postgres.repository}/`, 'restore_drill/']
    const [repository, journal] = prefixes.map((prefix) =>
      createStorage({ ...s3, prefix, timeout_ms: 10_000 }),
    )
    const receiver = await startReceiver()
    const drill = new Restoring(postgres, receiver)
    try {
      await drill.prepare()
      await check('every write acknowledged before the moment is there, with equal hashes', () =>
        drill.restore(),
      )
      await check('the restored database is closed and sound', () => drill.close())
      await check('a token revoked after the moment stays dead', () => drill.signIn())
      await check('no reader goes on from a place of before, and none skips', () => drill.read())
      await check('no webhook goes out twice', () => drill.release())
      if (repository)
        await check('a damaged and a missing WAL file are found', () => damage(postgres, repository))
    } finally {
      await drill.stop()
      await receiver.close()
      await postgres.close()
      for (const storage of [repository, journal]) {
        if (storage) await empty(storage)
        storage?.close()
      }
      rmSync(work, { recursive: true, force: true })
    }
  },
}

type Found = Promise<readonly [undefined, string]>

async function startReceiver() {
  const ids: string[] = []
  const server = createServer((request, response) => {
    ids.push(String(request.headers['webhook-id']))
    request.resume().on('end', () => response.writeHead(204).end())
  })
  const port = await freePort()
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return { ids, url: `http://127.0.0.1:${port}/`, close: () => new Promise((done) => server.close(done)) }
}

class Restoring {
  readonly #postgres: BackedUpPostgres
  readonly #receiver: Awaited<ReturnType<typeof startReceiver>>
  #ports = { a: 0, r: 0 }
  #processes: ServerProcess[] = []
  #owner: SignedUp | undefined
  #tokens: { id: string; token: string }[] = []
  #board = ''
  #feed = ''
  #acknowledged: { title: string; at: number }[] = []
  #isWriting = true
  #to = ''

  constructor(postgres: BackedUpPostgres, receiver: Awaited<ReturnType<typeof startReceiver>>) {
    this.#postgres = postgres
    this.#receiver = receiver
  }

  async prepare(): Promise<void> {
    this.#ports = { a: await freePort(), r: await freePort() }
    const { a } = this.#ports
    await this.#postgres.createServer(a)
    for (const text of [
      'create extension vector',
      'create extension pg_trgm',
      'create extension btree_gin',
      'create extension amcheck',
    ])
      await this.#postgres.query(a, text, 'template1')
    await this.#postgres.query(a, 'create role crewhall_app login', 'postgres')
    await this.#postgres.query(a, 'create database restore_drill', 'postgres')
    const { database_url, env } = this.#at(a)
    await runProcess({ entry: 'apps/server/src/migrate.ts', database_url, env })
    await this.#serve(a)
    this.#owner = await signUp(this.#get)
    this.#tokens = [await newToken(this.#get, this.#owner, []), await newToken(this.#get, this.#owner, [])]
    const made = await this.#post('/api/v1/board/boards', { name: 'Drill', key: 'DRI' })
    this.#board = ((await made.json()) as { id: string }).id
    const headers = { cookie: this.#owner.cookie }
    const hook = await this.#get(
      '/api/v1/webhooks',
      json({ url: this.#receiver.url, events: ['*'] }, headers),
    )
    if (hook.status !== 201) throw new Error(`the webhook was answered ${hook.status}`)
    await this.#postgres.backrest('--type=full', 'backup')
  }

  async restore(): Found {
    const postgres = this.#postgres
    const { a, r } = this.#ports
    const seconds = randomInt(6, 14)
    const writers = Array.from({ length: 4 }, (_, at) => this.#write(at))
    await sleep(seconds * 1000)
    this.#feed = await this.#cursor(`/api/v1/board/activity/boards/${this.#board}`)
    const moment = `to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    this.#to = String((await postgres.query(a, `select ${moment} as at`))[0]?.at)
    await postgres.query(a, 'drop table boards.attachments cascade')
    const [revoked] = this.#tokens
    const headers = { cookie: this.#owner?.cookie ?? '' }
    const path = `/api/v1/brands/${this.#owner?.brand_id}/tokens/${revoked?.id}`
    const ended = await this.#get(path, { method: 'DELETE', headers })
    if (ended.status !== 200) throw new Error(`the token was not revoked: ${ended.status}`)
    await sleep(2000)
    this.#isWriting = false
    await Promise.all(writers)
    await waitFor(
      async () => (await postgres.query(a, 'select from platform.revocations')).length === 0,
      30_000,
    )
    await this.stop()
    const [last] = await postgres.query(a, 'select pg_walfile_name(pg_switch_wal()) as name')
    await waitFor(async () => {
      const [archiver] = await postgres.query(a, 'select last_archived_wal as name from pg_stat_archiver')
      return String(archiver?.name) >= String(last?.name)
    }, 60_000)

    const began = performance.now()
    const target = this.#to.replace('T', ' ').replace('Z', '+00')
    const place = ['--pg1-path=/mnt/r', '--lock-path=/mnt/lock-r', '--spool-path=/mnt/spool-r']
    await postgres.backrest(
      ...place,
      '--archive-mode=off',
      '--type=time',
      `--target=${target}`,
      '--target-action=promote',
      'restore',
    )
    await postgres.start('r', r)
    const took = (performance.now() - began) / 1000
    const [size] = await postgres.query(
      r,
      'select sum(pg_database_size(oid))::float8 as bytes from pg_database',
    )
    const perGb = (took / 60 / Number(size?.bytes)) * 1e9

    const rows = await postgres.query(r, 'select title from boards.cards')
    const there = new Set(rows.map(({ title }) => title))
    const before = this.#acknowledged.filter(({ at }) => at <= Date.parse(this.#to))
    const lost = before.filter(({ title }) => !there.has(title))
    if (lost.length > 0) throw new Error(`${lost.length} of ${before.length} acknowledged writes are missing`)
    if (before.length < 10) throw new Error(`only ${before.length} writes were acknowledged before`)
    const later = this.#acknowledged.length - before.length
    if (later === 0) throw new Error('nothing was written after the moment: nothing was put back')
    // What was committed around the moment may be on one side only.
    const upTo = `created_at < '${this.#to}'::timestamptz - interval '1 second'`
    for (const table of ['boards.cards', 'boards.activity', 'platform.audit_entries']) {
      const hash = `select md5(string_agg(md5(t::text), '' order by id)) as hash from ${table} t where ${upTo}`
      const [live, restored] = [await postgres.query(a, hash), await postgres.query(r, hash)]
      if (!live[0]?.hash || live[0].hash !== restored[0]?.hash) throw new Error(`rows of ${table} differ`)
    }
    await postgres.query(r, 'select from boards.attachments')
    const megabytes = Math.round(Number(size?.bytes) / 1e6)
    return [
      undefined,
      `${before.length} writes there, ${later} later ones gone; ${took.toFixed(1)} s for ${megabytes} MB, ${perGb.toFixed(1)} min per GB`,
    ]
  }

  async close(): Found {
    const { code, output } = await this.#admin('restore', '--to', this.#to)
    if (code !== 0) throw new Error(output.trim())
    return [undefined, output.match(/^(ended|pages|verify-data): .*$/gm)?.join('; ') ?? '']
  }

  async signIn(): Found {
    await this.#serve(this.#ports.r)
    const path = '/api/v1/board/boards'
    const statuses = await Promise.all(
      this.#tokens.map(async ({ token }) => (await this.#read(path, token)).status),
    )
    if (statuses.join() !== '401,200') throw new Error(`revoked and kept were answered ${statuses}`)
    return [undefined, 'the other one lives']
  }

  async read(): Found {
    const path = `/api/v1/board/activity/boards/${this.#board}`
    const token = this.#tokens[1]?.token ?? ''
    const old = await this.#read(`${path}?since=${this.#feed}`, token)
    if (old.status !== 410) throw new Error(`an old place was answered ${old.status}`)
    const start = (await (await this.#read(`${path}?limit=1`, token)).json()) as { next_cursor: string }
    for (const title of ['new 1', 'new 2', 'new 3'])
      await this.#post(`/api/v1/board/boards/${this.#board}/tasks`, { title })
    const next = (await (await this.#read(`${path}?since=${start.next_cursor}`, token)).json()) as {
      items: { title?: string }[]
    }
    const entries = next.items.length
    const [count] = await this.#postgres.query(
      this.#ports.r,
      `select count(*)::int as n from boards.activity where created_at > (select began_at from platform.timelines
       order by number desc limit 1)`,
    )
    if (entries !== 3 || count?.n !== 3) throw new Error(`${entries} of ${count?.n} new entries were read`)
    return [undefined, 'an old place gets 410']
  }

  async release(): Found {
    const { ids } = this.#receiver
    const before = ids.length
    const [held] = await this.#postgres.query(
      this.#ports.r,
      `select count(*)::int as n from webhooks.deliveries where status = 'pending'`,
    )
    const { code, output } = await this.#admin('release')
    if (code !== 0) throw new Error(output.trim())
    await waitFor(() => ids.length >= before + 3, 60_000)
    await waitFor(async () => {
      const pending = `select from webhooks.deliveries where status = 'pending'`
      return (await this.#postgres.query(this.#ports.r, pending)).length === 0
    }, 60_000)
    const twice = ids.length - new Set(ids).size
    if (twice > 0 || ids.length !== before + 3)
      throw new Error(`${twice} twice, ${ids.length - before} after`)
    return [undefined, `${ids.length} in all, ${Number(held?.n) - 3} held for good`]
  }

  async stop(): Promise<void> {
    this.#isWriting = false
    await Promise.all(this.#processes.splice(0).map((each) => each.stop()))
  }

  async #serve(port: number): Promise<void> {
    const { database_url, env } = this.#at(port)
    for (const name of ['api', 'worker'])
      this.#processes.push(await startProcess({ entry: `apps/server/src/${name}.ts`, database_url, env }))
  }

  #at = (port: number) => ({
    database_url: this.#postgres.urlOf(port, 'crewhall_app'),
    env: {
      DATABASE_OWNER_URL: this.#postgres.urlOf(port, 'postgres'),
      OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
    },
  })
  #admin = (...args: string[]) =>
    endOfProcess({ entry: 'apps/server/src/crewhall-admin.ts', ...this.#at(this.#ports.r), args })

  #get = (path: string, init?: RequestInit) => fetch(`${this.#processes[0]?.url}${path}`, init)
  #read = (path: string, token: string) => this.#get(path, { headers: { authorization: `Bearer ${token}` } })
  #post = (path: string, body: object) =>
    this.#get(path, json(body, { authorization: `Bearer ${this.#tokens[1]?.token}` }))
  async #cursor(path: string): Promise<string> {
    const page = (await (await this.#read(path, this.#tokens[1]?.token ?? '')).json()) as {
      next_cursor: string
    }
    return page.next_cursor
  }

  async #write(writer: number): Promise<void> {
    for (let n = 0; this.#isWriting; n += 1) {
      const title = `card ${writer}-${n}`
      const response = await this.#post(`/api/v1/board/boards/${this.#board}/tasks`, { title }).catch(
        () => undefined,
      )
      if (response?.status === 201) this.#acknowledged.push({ title, at: Date.now() })
      await response?.text()
    }
  }
}

async function damage(postgres: BackedUpPostgres, repository: Storage): Found {
  const expectSaid = async (code: number, words: RegExp) => {
    const said = await postgres.verify()
    if (said.code !== code || !words.test(said.output))
      throw new Error(`verify ended with ${said.code}, wanted ${code}: ${said.output.slice(-400)}`)
  }
  await expectSaid(0, /^ok: /m)
  const objects = await repository.list(outside, 'archive/')
  const segments = objects.map(({ key }) => key).filter((key) => /\/[0-9A-F]{24}-[0-9a-f]{40}/.test(key))
  const key = segments[Math.floor(segments.length / 2)] ?? ''
  const whole = await repository.find(outside, key)
  if (!whole || segments.length < 3) throw new Error(`only ${segments.length} WAL files`)
  const bytes = Buffer.from(whole.bytes)
  bytes.write('XXXX', Math.floor(bytes.length / 2))
  await repository.put(outside, key, { ...whole, bytes })
  await expectSaid(1, /verify says: error/)
  await repository.remove(outside, key)
  await expectSaid(1, /WAL is missing between/)
  await repository.put(outside, key, whole)
  await expectSaid(0, /^ok: /m)
  return [undefined, `one of ${segments.length} each`]
}

async function empty(storage: Storage): Promise<void> {
  for (;;) {
    const objects = await storage.list(outside, '')
    if (objects.length === 0) return
    for (const { key } of objects) await storage.remove(outside, key)
  }
}
