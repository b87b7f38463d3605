import { readFile, stat } from 'node:fs/promises'
import { ApiError, clientOf } from '@crewhall/client/client.ts'
import { sendConversation } from '@crewhall/contracts/conversations/conversations.ts'
import { limited } from '../link/limited-fetch.ts'
import { pause } from '../link/pause.ts'
import type { Log } from '../log.ts'
import type { Settings } from '../settings.ts'
import { SentMarks } from './sent-marks.ts'
import { listSessions, readPortion, type SessionFile } from './session-files.ts'

type Place = NonNullable<Settings['transcripts']>
interface Sending {
  readonly place: Place
  readonly server_url: string
  readonly state_dir: string
  readonly log: Log
  readonly stop: AbortSignal
}

/** Of these the file will not be told better by another attempt; all others are tried again. */
const final = [409, 413, 422]

/** Sends what coding tools write down about their sessions to a source of memories, as it grows. */
export class TranscriptSender {
  readonly #sending: Sending
  readonly #marks: SentMarks
  /** Files with something that was not sent when they were last looked at. */
  pending = 0

  constructor(sending: Sending) {
    this.#sending = sending
    this.#marks = new SentMarks(sending.state_dir)
  }

  async keepSending(): Promise<void> {
    const { place, log, stop } = this.#sending
    while (!stop.aborted) {
      await this.#sendAll().catch((error: unknown) => {
        if (!stop.aborted) log.warn('transcripts were not sent', { error, pending: this.pending })
      })
      await pause(place.interval_s, stop)
    }
  }

  async #sendAll(): Promise<void> {
    const { place, stop } = this.#sending
    const files = await listSessions(place.directory)
    await this.#marks.keepOnly(files)
    const grown: SessionFile[] = []
    for (const file of files) if ((await this.#marks.offsetOf(file)) < file.size) grown.push(file)
    this.pending = grown.length
    if (grown.length === 0) return
    const token = await readToken(place.token_file)
    for (const file of grown) {
      if (stop.aborted) return
      await this.#sendFile(file, token)
      this.pending -= 1
    }
  }

  async #sendFile(file: SessionFile, token: string): Promise<void> {
    const { place, log, stop } = this.#sending
    for (let offset = await this.#marks.offsetOf(file); !stop.aborted; ) {
      const portion = await readPortion(place.directory, file, offset)
      if (portion === undefined) return
      if (portion.text === '') log.warn('a line is too long to be sent', { file: file.path })
      else if (portion.text.trim() !== '') await this.#send(file, portion.text, token)
      offset = portion.end
      await this.#marks.put(file, offset)
    }
  }

  async #send({ path }: SessionFile, native: string, token: string): Promise<void> {
    const { place, server_url, log, stop } = this.#sending
    const headers = { authorization: `Bearer ${token}` }
    const options = { base_url: server_url, headers, fetch: limited(stop) }
    const { conversations } = clientOf({ conversations: { sendConversation } }, options)
    try {
      const params = { source_id: place.source_id }
      const { body } = await conversations.sendConversation({
        params,
        body: { format: 'native', conversation_id: path, native },
      })
      log.info('transcript', { file: path, stored: body.stored, redacted: body.redacted })
    } catch (error) {
      if (!(error instanceof ApiError) || !final.includes(error.status)) throw error
      log.warn('a part of a transcript was refused', { file: path, error })
    }
  }
}

/** Read each time: it can be replaced without a restart. */
async function readToken(path: string): Promise<string> {
  const { mode } = await stat(path)
  if ((mode & 0o077) !== 0) throw new Error(`${path} can be read by others: its mode has to be 600`)
  return (await readFile(path, 'utf8')).trim()
}
