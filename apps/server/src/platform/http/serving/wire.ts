import type { SpooledUpload, Upload, UploadedFile } from '@crewhall/contracts/route.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Bound } from '#platform/bulkheads/bound.ts'
import type { Life } from '#platform/bulkheads/life.ts'
import type { MountedRoute } from '#platform/http/handle.ts'
import type { Aside, Deadline } from '#platform/http/limits/deadlines.ts'
import { inviteBody } from '#platform/http/request/expected-bodies.ts'
import { hasBody, readBytes, readJsonBody } from '#platform/http/request/json-body.ts'
import { readUpload, spoolUpload } from '#platform/http/request/multipart.ts'
import type { Own } from '#platform/http/serving/perform.ts'
import { Outage } from '#platform/outage/outage.ts'

export interface WireOptions {
  /** Who sends a file that is spooled. */
  readonly uploads: Bound
  /** Does something without being counted as in flight. */
  readonly unshed: Aside
}

/** A request that came over the wire: what follows its head arrives while it is waited for. */
export class Wire implements Own {
  readonly life: Life
  readonly #route: MountedRoute
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #options: WireOptions
  readonly #deadline: Deadline
  readonly #limitBytes: number
  #read: Promise<unknown> | undefined

  constructor(
    route: MountedRoute,
    request: FastifyRequest,
    reply: FastifyReply,
    options: WireOptions,
    life: Life,
    deadline: Deadline,
    limitBytes: number,
  ) {
    this.life = life
    this.#route = route
    this.#request = request
    this.#reply = reply
    this.#options = options
    this.#deadline = deadline
    this.#limitBytes = limitBytes
  }

  hasBody(): boolean {
    return hasBody(this.#request)
  }

  body(): Promise<unknown> {
    const { spec, signer } = this.#route
    const read = signer ? readBytes : readJsonBody
    this.#read ??= this.#aside(() => read(spec, this.#request, this.#reply, this.#limitBytes))
    return this.#read
  }

  async withFile<T>(
    upload: Upload,
    owner: string,
    work: (file: UploadedFile | SpooledUpload) => Promise<T>,
  ): Promise<T> {
    const { spec } = this.#route
    inviteBody(this.#request, this.#reply)
    if (!upload.spooled) return work(await this.#aside(() => readUpload(spec, upload, this.#request)))
    const { uploads } = this.#options
    if (!uploads.admits(owner)) throw new Outage('service', 'overloaded')
    uploads.take(owner)
    try {
      const file = await this.#aside(() => spoolUpload(spec, upload, this.#request))
      try {
        return await work(file)
      } finally {
        await file.discard()
      }
    } finally {
      uploads.leave(owner)
    }
  }

  /** Waits for what the caller still has to send. */
  #aside<T>(meanwhile: () => Promise<T>): Promise<T> {
    return this.#deadline.aside(() => this.#options.unshed(meanwhile))
  }
}
