import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify(argon2)

/** OWASP's first choice for Argon2id: 19 MiB and two passes, about 30 ms of one core. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const

/** Never inside a transaction: it takes longer than all of its statements together. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  return written(nonce, await derive('argon2id', { ...cost, message: password, nonce }))
}

/** Of no password anybody could find. Comparing with it takes as long as comparing with any other. */
export const hashOfNobody = (): string => written(randomBytes(16), randomBytes(cost.tagLength))

function written(nonce: Buffer, tag: Buffer): string {
  const encode = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(nonce)}$${encode(tag)}`
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/

export async function isPassword(password: string, hash: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce = '', tag = ''] = form.exec(hash) ?? []
  const expected = Buffer.from(tag, 'base64')
  const found = await derive('argon2id', {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
    message: password,
    nonce: Buffer.from(nonce, 'base64'),
  })
  return timingSafeEqual(found, expected)
}
