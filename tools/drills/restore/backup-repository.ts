import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer, type Server } from 'node:tls'
import { createStorage, type Storage } from '@crewhall/server/platform/storage/storage.ts'
import { readServiceFacts } from '@crewhall/services/facts.ts'
import { type FaultProxy, startFaultProxy } from '@crewhall/testkit/fault-proxy.ts'
import { freePort } from '@crewhall/testkit/free-port.ts'
import { outside } from '@crewhall/testkit/outside.ts'
import { selfSigned } from '@crewhall/testkit/self-signed.ts'

const settings = join(import.meta.dirname, '../../../deploy/production/pgbackrest/pgbackrest.conf')
/** Where each drill puts the certificate. */
const certificateFile = '/mnt/s3-ca.pem'

/** A folder of the S3 of the services in which pgBackRest keeps its backups. */
export class BackupRepository {
  readonly storage: Storage
  readonly certificate: string
  /** The line from pgBackRest to it. */
  readonly line: FaultProxy
  readonly #tls: Server
  readonly #folder: string
  readonly #passphrase = randomBytes(36).toString('base64')

  private constructor(folder: string, certificate: string, line: FaultProxy, tls: Server) {
    this.#folder = folder
    this.certificate = certificate
    this.line = line
    this.#tls = tls
    this.storage = createStorage({ ...readServiceFacts().s3, prefix: `${folder}/`, timeout_ms: 10_000 })
  }

  static async open(name: string): Promise<BackupRepository> {
    const { s3 } = readServiceFacts()
    // pgBackRest speaks to S3 over TLS alone, and the S3 of the services does not speak it.
    const { key, cert } = selfSigned('localhost')
    const tls = createServer({ key, cert }, (socket) => {
      const behind = connect({ port: s3.port, host: s3.host, noDelay: true })
      socket.setNoDelay(true)
      socket.on('error', () => behind.destroy()).pipe(behind)
      behind.on('error', () => socket.destroy()).pipe(socket)
    })
    // A connection that ends before it is one.
    tls.on('tlsClientError', () => {})
    const port = await freePort()
    await new Promise<void>((done) => tls.listen(port, '127.0.0.1', done))
    const line = await startFaultProxy({ host: '127.0.0.1', port })
    return new BackupRepository(`${name}-${randomBytes(4).toString('hex')}`, cert, line, tls)
  }

  /** The shipped file with the addresses of the drill. A name that the file does not have is an error. */
  settings(own: Readonly<Record<string, string>>, more: readonly string[] = []): string {
    const { s3 } = readServiceFacts()
    const here: Record<string, string> = {
      'repo1-path': `/${this.#folder}`,
      'repo1-s3-bucket': s3.bucket,
      'repo1-s3-endpoint': 'localhost',
      'repo1-s3-region': s3.region,
      ...own,
    }
    let text = readFileSync(settings, 'utf8')
    for (const [name, value] of Object.entries(here)) {
      const line = new RegExp(`^${name}=.*$`, 'm')
      if (!line.test(text)) throw new Error(`pgbackrest.conf has no setting ${name}`)
      text = text.replace(line, () => `${name}=${value}`)
    }
    const added = [
      '[global]',
      `repo1-storage-port=${this.line.port}`,
      `repo1-storage-ca-file=${certificateFile}`,
      `repo1-s3-key=${s3.access_key_id}`,
      `repo1-s3-key-secret=${s3.secret_access_key}`,
      `repo1-cipher-pass=${this.#passphrase}`,
      ...more,
    ]
    return text.replace(/^\[global\]$/m, () => added.join('\n'))
  }

  async close(): Promise<void> {
    for (
      let left = await this.storage.list(outside, '');
      left.length > 0;
      left = await this.storage.list(outside, '')
    )
      for (const { key } of left) await this.storage.remove(outside, key)
    this.storage.close()
    await this.line.close()
    this.#tls.close()
  }
}
