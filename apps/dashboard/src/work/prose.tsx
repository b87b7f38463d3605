import { Fragment, type ReactNode } from 'react'

/**
 * Texts of people and agents: paragraphs, lists, code, bold words and links to the web. Everything is made as elements from
 * text, so nothing in it is ever markup; what is not known here is shown as it was written.
 */
export function Prose({ text }: { readonly text: string }) {
  // Odd parts stand between fences.
  const parts = text.split(/^```[^\n]*\n?/m)
  return (
    <div className="flex flex-col gap-2 break-words text-read" dir="auto">
      {parts.map((part, at) =>
        at % 2 === 1 ? (
          <pre key={keyOf(at)} className="overflow-x-auto rounded-control bg-sunken p-3 font-mono text-meta">
            {part.replace(/\n$/, '')}
          </pre>
        ) : (
          part
            .split(/\n{2,}/)
            .filter((block) => block.trim() !== '')
            .map((block, row) => <Block key={keyOf(row)} text={block} />)
        ),
      )}
    </div>
  )
}

/** Parts of one text have no other name than their place. */
const keyOf = (at: number): string => String(at)

const item = /^\s*(?:[-*]|\d+[.)])\s+/

function Block({ text }: { readonly text: string }) {
  const lines = text.replace(/^\n+|\n+$/g, '').split('\n')
  const heading = /^#{1,6}\s+(.*)$/.exec(lines[0] ?? '')
  if (heading && lines.length === 1)
    return (
      <p className="font-semibold">
        <Words text={heading[1] ?? ''} />
      </p>
    )
  if (lines.every((line) => item.test(line)))
    return (
      <ul className="flex flex-col gap-1">
        {lines.map((line, at) => (
          <li key={keyOf(at)} className="flex gap-2">
            <span className="shrink-0 text-ink-3">{/^\s*\d+/.exec(line)?.[0].trim() ?? '•'}</span>
            <span className="min-w-0">
              <Words text={line.replace(item, '')} />
            </span>
          </li>
        ))}
      </ul>
    )
  return (
    <p className="whitespace-pre-wrap">
      <Words text={lines.join('\n')} />
    </p>
  )
}

const marks = /(`[^`\n]+`|\*\*[^*\n]+\*\*|https?:\/\/[^\s<>"'`]+)/

function Words({ text }: { readonly text: string }): ReactNode {
  return text.split(marks).map((part, at) => <Fragment key={keyOf(at)}>{wordOf(part, at)}</Fragment>)
}

function wordOf(part: string, at: number): ReactNode {
  if (at % 2 === 0) return part
  if (part.startsWith('`'))
    return <code className="rounded-tag bg-sunken px-1 font-mono text-[0.92em]">{part.slice(1, -1)}</code>
  if (part.startsWith('**')) return <strong className="font-semibold">{part.slice(2, -2)}</strong>
  const [, address = '', rest = ''] = /^(.*?)([.,;:!?)\]]*)$/s.exec(part) ?? []
  if (!URL.canParse(address)) return part
  return (
    <>
      <a
        href={address}
        target="_blank"
        rel="noopener noreferrer nofollow"
        className="text-link hover:underline"
      >
        {address}
      </a>
      {rest}
    </>
  )
}
