import { failed } from '../failure.ts'

/** What the build makes of `jq-wasm`: jq itself, with the streams that it is given. */
type StartJq = (options: { readonly streams: readonly Stream[] }) => Promise<{
  callMain(args: readonly string[]): number
}>
type Stream = (byte?: number | null) => number | null

/** What `jq -r -c` prints of a JSON text, and what it complains about. */
export async function runJq(json: string, filter: string): Promise<{ out: string; complaint: string }> {
  const { default: start } = (await import('jq-wasm/dist/build/jq.js').catch(() => {
    throw failed('--jq: crewhall-jq.cjs is not beside the program', 'install crewhall from its archive')
  })) as { default: StartJq }
  const input = Buffer.from(json)
  let at = 0
  const read: Stream = () => {
    at += 1
    return input[at - 1] ?? null
  }
  const [out, err] = [new Bytes(), new Bytes()]
  const jq = await start({ streams: [read, out.take, err.take] })
  jq.callMain(['-r', '-c', '-M', filter, '/dev/stdin'])
  return { out: out.text(), complaint: err.text() }
}

/** Bytes that arrive one by one. */
class Bytes {
  #bytes = Buffer.alloc(64 * 1024)
  #length = 0

  readonly take: Stream = (byte) => {
    if (byte === null || byte === undefined) return null
    if (this.#length === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes])
    this.#bytes[this.#length] = byte
    this.#length += 1
    return null
  }

  text(): string {
    return this.#bytes.toString('utf8', 0, this.#length)
  }
}
