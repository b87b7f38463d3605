import { appendFileSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { redactLog } from '@crewhall/contracts/redaction/redact-log.ts'
import { readIfThere } from './state/durable-file.ts'

/** Of each of the two files. */
const mostBytes = 128 * 1024

/**
 * The last lines of the log, also those of processes before this one: the journal of the machine has them all, but whoever
 * asks from afar does not see it. If supervisor and sidecar move the full file at once, older lines are lost.
 */
export class LogFile {
  readonly #path: string
  readonly #older: string

  constructor(stateFolder: string) {
    this.#path = join(stateFolder, 'sidecar.log')
    this.#older = join(stateFolder, 'sidecar.log.1')
  }

  append(line: string): void {
    try {
      appendFileSync(this.#path, `${line}\n`, { mode: 0o600 })
      if (statSync(this.#path).size > mostBytes) renameSync(this.#path, this.#older)
    } catch {
      // A full disk must not end the sidecar, and the journal has the line.
    }
  }

  /** Whole lines without secrets, as many of the last ones as these bytes hold. */
  async tail(most: number): Promise<string> {
    const files = [await readIfThere(this.#older), await readIfThere(this.#path)]
    return lastLines(redactLog(files.join('')), most)
  }
}

function lastLines(text: string, most: number): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= most) return text
  return bytes.subarray(bytes.indexOf('\n', bytes.length - most - 1) + 1).toString()
}
