/** A short letter, in both forms. What people typed is shown as they typed it and never as markup. */
export interface Letter {
  readonly name: string
  readonly lines: readonly string[]
  readonly link?: { readonly label: string; readonly url: string }
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

/** Names may hold line breaks, which would start a paragraph that nobody but us should write. */
export const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

export function mailText({ name, lines, link }: Letter): { text: string; html: string } {
  const all = [`Hello ${oneLine(name)},`, ...lines.map(oneLine)]
  const text = [...all, ...(link ? [`${link.label}:\n${link.url}`] : [])].join('\n\n')
  const paragraphs = all.map((line) => `<p>${escaped(line)}</p>`)
  const button = link ? [`<p><a href="${escaped(link.url)}">${escaped(link.label)}</a></p>`] : []
  return { text: `${text}\n`, html: [...paragraphs, ...button].join('') }
}
