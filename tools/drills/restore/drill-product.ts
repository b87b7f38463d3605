import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { S3Facts } from '@crewhall/services/facts.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { cookieOf, json, newToken, type SignedUp, signUp } from '@crewhall/testkit/people.ts'
import {
  type Ended,
  endOfProcess,
  runProcess,
  type ServerProcess,
  startProcess,
} from '@crewhall/testkit/server-process.ts'
import type { BackedUpPostgres } from './backed-up-postgres.ts'

interface Token {
  readonly id: string
  readonly token: string
}

/** The product on one of the servers of the drill, and a person who works in it. */
export class DrillProduct {
  readonly #postgres: BackedUpPostgres
  readonly #bucket: S3Facts
  #api: ServerProcess | undefined
  #worker: ServerProcess | undefined
  #owner: SignedUp | undefined
  #tokens: readonly Token[] = []

  constructor(postgres: BackedUpPostgres, bucket: S3Facts) {
    this.#postgres = postgres
    this.#bucket = bucket
  }

  async migrate(port: number): Promise<void> {
    await runProcess({ entry: 'apps/server/src/migrate.ts', ...this.#at(port) })
  }

  async serve(port: number): Promise<void> {
    this.#api = await startProcess({ entry: 'apps/server/src/api.ts', ...this.#at(port) })
    await this.startWorker(port)
  }

  async startWorker(port: number): Promise<void> {
    this.#worker = await startProcess({ entry: 'apps/server/src/worker.ts', ...this.#at(port) })
  }

  async stopWorker(): Promise<void> {
    await this.#worker?.stop()
    this.#worker = undefined
  }

  async stop(): Promise<void> {
    await Promise.all([this.#api?.stop(), this.stopWorker()])
    this.#api = undefined
  }

  admin = (port: number, ...args: string[]): Promise<Ended> =>
    endOfProcess({ entry: 'apps/server/src/crewhall-admin.ts', ...this.#at(port), args })

  /** A person with two tokens, the first of which is to be revoked. */
  async signUp(): Promise<void> {
    this.#owner = await signUp(this.get)
    this.#tokens = [await newToken(this.get, this.#owner, []), await newToken(this.get, this.#owner, [])]
  }

  /** Another session of that person. Returns its cookie. */
  async signIn(): Promise<string> {
    const { email, password } = this.#owner ?? {}
    const answer = await this.get('/api/v1/auth/sign-in', json({ email, password }))
    if (answer.status !== 200) throw new Error(`sign-in was answered ${answer.status}`)
    return cookieOf(answer)
  }

  get tokens(): readonly Token[] {
    return this.#tokens
  }
  get brand(): string {
    return `/api/v1/brands/${this.#owner?.brand_id}`
  }
  get brandId(): number {
    return this.#owner?.brand_id ?? 0
  }

  get = (path: string, init?: RequestInit): Promise<Response> => fetch(`${this.#api?.url}${path}`, init)
  read = (path: string, token = this.#tokens[1]?.token): Promise<Response> =>
    this.get(path, { headers: { authorization: `Bearer ${token}` } })
  post = (path: string, body: object): Promise<Response> =>
    this.get(path, json(body, { authorization: `Bearer ${this.#tokens[1]?.token}` }))
  /** With the session: what tokens may not. */
  asOwner = (path: string, init: RequestInit = {}): Promise<Response> =>
    this.get(path, { ...init, headers: { ...init.headers, cookie: this.#owner?.cookie ?? '' } })

  async must<T>(status: number, response: Promise<Response>): Promise<T> {
    const answer = await response
    const text = await answer.text()
    if (answer.status !== status) throw new Error(`${answer.url} was answered ${answer.status}: ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  /** Whose letters can be read. */
  newAddress = (name: string): string =>
    `${name}-${randomBytes(6).toString('hex')}@${readServiceFacts().mail.domain}`

  async invite(name: string): Promise<string> {
    const email = this.newAddress(name)
    await this.must(201, this.asOwner(`${this.brand}/invitations`, json({ email, role: 'member' })))
    return email
  }

  #at = (port: number) => ({
    database_url: this.#postgres.urlOf(port, 'crewhall_app'),
    env: {
      DATABASE_OWNER_URL: this.#postgres.urlOf(port, 'postgres'),
      OUTBOUND_ALLOWED_NETWORKS: '127.0.0.0/8',
      S3_BUCKET: this.#bucket.bucket,
    },
  })
}

export const countLetters = (address: string): number => readLetters(address).length

/** Of a mailbox, as lines that were not broken for the way. */
export function readLetters(address: string): string[] {
  const box = join(readServiceFacts().mail.maildir_root, address)
  return ['new', 'cur'].flatMap((folder) => {
    try {
      return readdirSync(join(box, folder)).map((name) =>
        readFileSync(join(box, folder, name), 'utf8')
          .replace(/=\r?\n/g, '')
          .replaceAll('=3D', '='),
      )
    } catch {
      return []
    }
  })
}
