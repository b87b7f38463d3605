import { parse } from 'yaml'
import type { CheckLine } from './check-line.ts'
import { hostileTexts } from './hostile-texts.ts'
import { readTable } from './marked-text.ts'
import type { MemoryCaller, MemoryHost, Workspace } from './memory-host.ts'

interface Item {
  readonly title: string
  readonly body: string
  readonly description: string | null
  readonly tags: readonly string[]
}

const oneLine = (text: string): string => text.replaceAll(/[\n\r\u2028\u2029]+/g, ' ').trim()

/** C28, the half that reads: what was written comes back equal, whatever it looks like. */
export async function checkReading(
  host: MemoryHost,
  workspace: Workspace,
  caller: MemoryCaller,
): Promise<CheckLine> {
  const faults: string[] = []
  await host.addAgents(
    workspace,
    hostileTexts.map((_, at) => `hostile-${at}`),
  )
  for (const [at, text] of hostileTexts.entries()) {
    const agent = `hostile-${at}`
    const line = oneLine(text)
    const written = { title: line, body: text, description: line, tags: [line] }
    const memory = { agent_id: agent, kind: 'fact', ...written }
    const stored = await caller.made<Item>('POST', '/memories', memory)
    const json = JSON.parse((await caller.search(agent, {}, 'json')).text) as { memories: Item[] }
    const yaml = (await caller.search(agent, {}, 'yaml')).text
    // Readers of the two versions take different words for something else than text.
    const yaml11 = parse(yaml, { version: '1.1' }) as { memories: Item[] }
    const yaml12 = parse(yaml, { version: '1.2' }) as { memories: Item[] }
    if (stored.body !== text)
      faults.push(`${JSON.stringify(text)} was stored as ${JSON.stringify(stored.body)}`)
    for (const [format, { memories }] of Object.entries({ json, yaml11, yaml12 })) {
      const [item] = memories
      const isEqual =
        memories.length === 1 &&
        item?.body === written.body &&
        item.title === written.title &&
        item.description === written.description &&
        item.tags.join('\n') === written.tags.join('\n')
      if (!isEqual) faults.push(`${format}: ${JSON.stringify(text)} came back as ${JSON.stringify(item)}`)
    }
    const { rows, markup, blocks } = readTable((await caller.search(agent, {}, 'md')).text)
    const [row] = rows
    const isOneRow = rows.length === 1 && blocks.join() === 'list,heading,table'
    // A table has one line for each memory, and blanks around a cell are its own.
    const isShown =
      [row?.title, row?.description, row?.tags].every((cell) => cell === line) && row?.body === oneLine(text)
    if (markup.length > 0 || !isOneRow || !isShown)
      faults.push(`md: ${JSON.stringify(text)} came back as ${blocks}, ${markup}, ${JSON.stringify(row)}`)
  }
  for (const fault of faults) console.error(`C28 ${fault}`)
  return {
    check: 'C28',
    what: `${hostileTexts.length} hostile texts, read back from JSON, YAML 1.1 and 1.2, and Markdown`,
    measured: `${faults.length} differ or are more than text`,
    bar: '0',
    is_met: faults.length === 0,
    is_promise: true,
  }
}
