import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { formOf, json } from '@crewhall/testkit/people.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expectThat } from '../expect-that.ts'
import type { BackedUpPostgres } from './backed-up-postgres.ts'
import { countLetters, type DrillProduct } from './drill-product.ts'
import { EndedSince } from './ended-since.ts'
import type { HookReceiver } from './hook-receiver.ts'
import { OffersSince } from './offers-since.ts'
import { Readers } from './readers.ts'
import { hashRows } from './row-hashes.ts'
import { Writers } from './writers.ts'

type Found = Promise<readonly [true, string]>

/** Something to restore: a small database says more about the start of programs than about its own speed. */
const ballastMegabytes = Number(process.env.DRILL_MB ?? 256)
const extensions = ['vector', 'pg_trgm', 'btree_gin', 'amcheck']

export class Restoring {
  readonly #postgres: BackedUpPostgres
  readonly #product: DrillProduct
  readonly #receiver: HookReceiver
  readonly #ended: EndedSince
  readonly #offers: OffersSince
  #ports = { a: 0, r: 0, s: 0 }
  #writers: Writers | undefined
  #readers: Readers | undefined
  #board = ''
  #file = { id: '', bytes: randomBytes(100_000) }
  /** Sent in the time that is lost. */
  #letter = ''
  #to = ''
  /** A second before the accident, while writers write. */
  #late = ''

  constructor(postgres: BackedUpPostgres, product: DrillProduct, receiver: HookReceiver) {
    this.#postgres = postgres
    this.#product = product
    this.#receiver = receiver
    this.#ended = new EndedSince(product)
    this.#offers = new OffersSince(product)
  }

  async prepare(): Promise<void> {
    this.#ports = { a: await freePort(), r: await freePort(), s: await freePort() }
    const { a } = this.#ports
    await this.#postgres.createServer(a)
    for (const name of extensions) await this.#postgres.query(a, `create extension ${name}`, 'template1')
    await this.#postgres.query(a, 'create role crewhall_app login', 'postgres')
    await this.#postgres.query(a, 'create database restore_drill', 'postgres')
    await this.#product.migrate(a)
    // Words that hardly compress, 1 MB to a thousand rows.
    await this.#postgres.query(
      a,
      `create table public.ballast as select n, (select string_agg(md5(n::text || m::text), '') from generate_series(1, 31) m) as words
       from generate_series(1, ${ballastMegabytes * 1000}) n`,
    )
    await this.#product.serve(a)
    await this.#product.signUp()
    await this.#ended.prepare()
    await this.#offers.prepare()
    const made = this.#product.post('/api/v1/board/boards', { name: 'Drill', key: 'DRI' })
    this.#board = (await this.#product.must<{ id: string }>(201, made)).id
    const hook = { url: this.#receiver.url, events: ['*'] }
    const { id } = await this.#product.must<{ id: string }>(
      201,
      this.#product.asOwner('/api/v1/webhooks', json(hook)),
    )
    this.#readers = new Readers(this.#product, this.#board, id)
    this.#writers = new Writers(this.#product, this.#board)
  }

  async backUp(): Found {
    const seconds: string[] = []
    for (const name of ['ExecStart', 'ExecStartPost', 'ExecStopPost'] as const) {
      const began = performance.now()
      const { code, output } = await this.#postgres.runUnit(name)
      if (code !== 0) throw new Error(`${name} ended with ${code}: ${output.slice(-600)}`)
      seconds.push(((performance.now() - began) / 1000).toFixed(1))
    }
    const metrics = this.#postgres.backupMetrics()
    const at = Number(/^crewhall_backup_success_timestamp_seconds (\d+)$/m.exec(metrics)?.[1])
    expectThat(Math.abs(Date.now() / 1000 - at) < 600 && metrics.includes('verified 1'), metrics)
    return [true, `backup ${seconds[0]} s, verify ${seconds[1]} s`]
  }

  async restore(): Found {
    const { r } = this.#ports
    const writers = this.#writers as Writers
    const card = await this.#product.must<{ id: string }>(201, this.#addCard('with a file'))
    const form = formOf('file', this.#file.bytes, 'drill.bin')
    const added = this.#product.get(`/api/v1/board/tasks/${card.id}/attachments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#product.tokens[1]?.token}` },
      body: form,
    })
    this.#file.id = (await this.#product.must<{ id: string }>(201, added)).id
    writers.start(4)
    await sleep(randomInt(6, 14) * 1000)
    const rows = await this.#choose(writers)
    await this.#goOn(writers)
    const { copied, replayed } = await this.#postgres.restoreTo('r', targetOf(this.#to), r)
    const bytes = 'select sum(pg_database_size(oid))::float8 as bytes from pg_database'
    const [size] = await this.#postgres.query(r, bytes)
    const { before, later } = writers.compare(Date.parse(this.#to), await this.#titles(r))
    const restored = await hashRows(this.#postgres, r)
    const different = [...rows]
      .filter(([table, hash]) => restored.get(table) !== hash)
      .map(([table]) => table)
    expectThat(different.length === 0, `rows of ${different.join(', ')} differ`)
    expectThat(restored.size === rows.size, `${restored.size} tables instead of ${rows.size}`)
    const megabytes = Number(size?.bytes) / 1e6
    const perGb = (seconds: number) => ((seconds / 60 / megabytes) * 1000).toFixed(2)
    const speed = `${perGb(copied + replayed)} min per GB of ${megabytes.toFixed(0)} MB (files ${perGb(copied)}, WAL ${perGb(replayed)})`
    return [
      true,
      `${before} writes there, ${later} later ones gone, ${rows.size} tables; ${(copied + replayed).toFixed(1)} s, ${speed}`,
    ]
  }

  /** The same repository once more, to a moment at which nothing stood still. */
  async restoreLate(): Found {
    const { s } = this.#ports
    const { copied, replayed } = await this.#postgres.restoreTo('s', targetOf(this.#late), s)
    const writers = this.#writers as Writers
    const { before, later } = writers.compare(Date.parse(this.#late), await this.#titles(s))
    await this.#postgres.stop('s')
    return [true, `${before} writes there, ${later} later ones gone; ${(copied + replayed).toFixed(1)} s`]
  }

  /** Restores to here: nothing is under way for an instant, so that every row of every table can be compared. */
  async #choose(writers: Writers): Promise<Map<string, string>> {
    const { a } = this.#ports
    await writers.pause()
    await this.#product.stopWorker()
    // Queued at the moment, and sent after it.
    this.#letter = await this.#product.invite('before')
    await this.#product.must(201, this.#addCard('told of later'))
    for (let round = 0; round < 30; round += 1) {
      const rows = await hashRows(this.#postgres, a)
      this.#to = await this.#clock('clock_timestamp()')
      const again = await hashRows(this.#postgres, a)
      if ([...rows].every(([table, hash]) => again.get(table) === hash)) return rows
    }
    throw new Error('something is always written')
  }

  /** What is lost: letters, deliveries and writes, what ends, a file that goes, then the accident. */
  async #goOn(writers: Writers): Promise<void> {
    const { a } = this.#ports
    await this.#product.startWorker(a)
    writers.resume()
    await this.#ended.end()
    await this.#offers.end()
    const file = `/api/v1/board/attachments/${this.#file.id}`
    expectThat((await this.#product.asOwner(file, { method: 'DELETE' })).status < 300, 'the file stays')
    await waitFor(() => countLetters(this.#letter) === 1, 60_000)
    const none = async (rows: string) => (await this.#postgres.query(a, rows)).length === 0
    await waitFor(
      () => none(`select from pgboss.job where name like '%attachment%' and state < 'completed'`),
      60_000,
    )
    await this.#readers?.remember()
    // Writers have to be well under way a second before.
    await sleep(3000)
    this.#late = await this.#clock(`clock_timestamp() - interval '1 second'`)
    await this.#postgres.query(a, 'drop table boards.attachments cascade')
    await sleep(2000)
    await writers.stop()
    await waitFor(() => none(`select from webhooks.deliveries where status = 'pending'`), 60_000)
    await waitFor(() => none('select from platform.revocations'), 30_000)
    await this.#product.stop()
    const [last] = await this.#postgres.query(a, 'select pg_walfile_name(pg_switch_wal()) as name')
    await waitFor(async () => {
      const archiver = 'select last_archived_wal as name from pg_stat_archiver'
      return String((await this.#postgres.query(a, archiver))[0]?.name) >= String(last?.name)
    }, 120_000)
  }

  async close(): Found {
    const { code, output } = await this.#product.admin(this.#ports.r, 'restore', '--to', this.#to)
    if (code !== 0) throw new Error(output.trim())
    const said = output.match(/^(ended|pages|verify-data|objects|took): .*$/gm)?.join('; ') ?? ''
    return [true, `${said}; ${output.match(/^invariant .*: holds/gm)?.length} invariants hold`]
  }

  /** Before anything is served. */
  async archive(): Found {
    const { r } = this.#ports
    const before = await this.#postgres.labels()
    const history = await this.#postgres.takeOver('r', r)
    const after = await this.#postgres.labels()
    expectThat(
      before.every((label) => after.includes(label)),
      `${before} became ${after}`,
    )
    expectThat(after.length === before.length + 1, `${after.length} backups instead of one more`)
    const { code, output } = await this.#postgres.runUnit('ExecStartPost')
    expectThat(code === 0, `verify ended with ${code}: ${output.slice(-600)}`)
    return [true, `${history} and a full backup beside ${before.length} of before`]
  }

  async signIn(): Found {
    await this.#product.serve(this.#ports.r)
    return [true, await this.#ended.expectDead()]
  }

  async tryOffers(): Found {
    return [true, await this.#offers.expectDead()]
  }

  async readFile(): Found {
    const file = await this.#product.read(`/api/v1/board/attachments/${this.#file.id}/content`)
    const bytes = Buffer.from(await file.arrayBuffer())
    expectThat(file.status === 200 && bytes.equals(this.#file.bytes), `${file.status}, ${bytes.length} bytes`)
    return [true, `${bytes.length} bytes from an older version`]
  }

  async read(): Found {
    const add = async () => {
      for (const title of ['new 1', 'new 2', 'new 3']) await this.#product.must(201, this.#addCard(title))
      await this.#product.must(
        201,
        this.#product.asOwner(`${this.#product.brand}/tokens`, json({ name: 'new', scopes: [] })),
      )
    }
    return [true, (await this.#readers?.startAgain(this.#postgres, this.#ports.r, add)) ?? '']
  }

  async release(): Found {
    const { r } = this.#ports
    const { ids } = this.#receiver
    const before = ids.length
    const held = await this.#product.invite('after')
    const pending = `select from webhooks.deliveries where status = 'pending'`
    const waiting = (await this.#postgres.query(r, pending)).length
    const restored = await this.#postgres.query(
      r,
      `${pending} and queued_at <= (select max(began_at) from platform.timelines)`,
    )
    expectThat(restored.length > 0, 'no delivery was pending at the moment')
    expectThat(ids.length === before && countLetters(held) === 0, 'something went out before the release')
    const { code, output } = await this.#product.admin(r, 'release')
    if (code !== 0) throw new Error(output.trim())
    await waitFor(() => countLetters(held) === 1, 60_000)
    await waitFor(async () => (await this.#postgres.query(r, pending)).length === 0, 60_000)
    const twice = ids.length - new Set(ids).size
    const fresh = waiting - restored.length
    expectThat(twice === 0 && ids.length === before + fresh, `${twice} twice, ${ids.length - before} after`)
    expectThat(countLetters(this.#letter) === 1, `${countLetters(this.#letter)} letters of before`)
    return [
      true,
      `${ids.length} webhooks in all, ${restored.length} held for good; 1 letter of before, 1 of after`,
    ]
  }

  async stop(): Promise<void> {
    await this.#writers?.stop()
    await this.#product.stop()
  }

  async #clock(moment: string): Promise<string> {
    const text = `to_char((${moment}) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
    return String((await this.#postgres.query(this.#ports.a, `select ${text} as at`))[0]?.at)
  }

  async #titles(port: number): Promise<string[]> {
    const rows = await this.#postgres.query(port, 'select title from boards.cards')
    return rows.map(({ title }) => String(title))
  }

  #addCard = (title: string) => this.#product.post(`/api/v1/board/boards/${this.#board}/tasks`, { title })
}

/** As PostgreSQL reads it. */
const targetOf = (moment: string): string => moment.replace('T', ' ').replace('Z', '+00')
