/** An event of a stream of server-sent events. */
export interface StreamEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: string
}

/** Cuts the text of a stream into events. Comments keep the line alive and say nothing. */
export class EventLines {
  #rest = ''

  push(text: string): StreamEvent[] {
    const blocks = `${this.#rest}${text}`.replaceAll('\r\n', '\n').split('\n\n')
    this.#rest = blocks.pop() ?? ''
    return blocks.flatMap((block) => eventIn(block) ?? [])
  }
}

function eventIn(block: string): StreamEvent | undefined {
  const fields = block
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => /^([^:]*):? ?(.*)$/s.exec(line) ?? ['', '', ''])
  if (fields.length === 0) return undefined
  const last = (name: string) => fields.findLast(([, key]) => key === name)?.[2]
  const data = fields.filter(([, key]) => key === 'data').map(([, , value]) => value)
  return { event: last('event') ?? 'message', id: last('id'), data: data.join('\n') }
}
