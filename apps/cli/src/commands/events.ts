/** One event of a stream. */
export interface StreamEvent {
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

const mostLine = 4 * 1024 * 1024

/** Server-sent events, as WHATWG has them. */
export async function* eventsIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<StreamEvent | 'comment'> {
  const decoder = new TextDecoder()
  let rest = ''
  let id: string | undefined
  let event = ''
  let data: string[] = []
  for await (const part of stream) {
    rest += decoder.decode(part, { stream: true })
    if (rest.length > mostLine) throw new Error('a line of the stream does not end')
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
      if (line === '') {
        if (data.length > 0 || id !== undefined)
          yield { id, event: event || 'message', data: data.join('\n') }
        event = ''
        data = []
      } else if (line.startsWith(':')) yield 'comment'
      else if (name === 'id') id = value
      else if (name === 'event') event = value
      else if (name === 'data') data.push(value)
    }
  }
}
