import { Fragment, memo, type ReactNode } from 'react'
import { classNames } from '../ui/class-names.ts'
import { type Block, blocksOf, type Inline, inlineOf } from './markdown.ts'
import { Mention } from './mention.tsx'

interface ProseProps {
  readonly text: string
  /**
   * A document of its own: its headings are headings of the page, below this level, and lines flow. Elsewhere headings are
   * bold lines, and lines end where they were ended.
   */
  readonly below?: 1 | 2
}

/**
 * Texts of people and agents, in Markdown. Everything is made as elements from text, so nothing in it is ever markup; what is
 * not known here is shown as it was written.
 */
export const Prose = memo(function Prose({ text, below }: ProseProps) {
  return (
    <div className={classNames('flex flex-col break-words text-read', below ? 'gap-3' : 'gap-2')} dir="auto">
      <Blocks blocks={blocksOf(text)} below={below} />
    </div>
  )
})

/** Parts of one text have no other name than their place. */
const keyOf = (at: number): string => String(at)

interface Below {
  readonly below: ProseProps['below']
}

function Blocks({ blocks, below }: Below & { readonly blocks: readonly Block[] }): ReactNode {
  return blocks.map((block, at) => <OneBlock key={keyOf(at)} block={block} below={below} />)
}

function OneBlock({ block, below }: Below & { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return <Heading level={block.level} text={block.text} below={below} />
    case 'paragraph':
      return (
        <p className={below ? undefined : 'whitespace-pre-wrap'}>
          <Words text={block.text} />
        </p>
      )
    case 'code':
      return <Code text={block.text} />
    case 'quote':
      return (
        <blockquote className="flex flex-col gap-2 border-line-strong border-l-2 pl-3.5 text-ink-2">
          <Blocks blocks={block.blocks} below={below} />
        </blockquote>
      )
    case 'list':
      return <List list={block} below={below} />
    case 'table':
      return <Table table={block} />
    case 'rule':
      return <hr className="border-line" />
  }
}

const headingLooks = [
  'text-page mt-3 first:mt-0',
  'text-section mt-2 first:mt-0',
  'text-read mt-1 first:mt-0',
]

function Heading({ level, text, below }: Below & { readonly level: number; readonly text: string }) {
  const words = <Words text={text} />
  if (!below) return <p className="font-semibold">{words}</p>
  const Tag = `h${Math.min(6, level + below)}` as 'h2' | 'h3' | 'h4' | 'h5' | 'h6'
  return (
    <Tag className={classNames('font-semibold', headingLooks[Math.min(level, 3) - 1] ?? '')}>{words}</Tag>
  )
}

/** What is wider than the page is reached by keyboard too. */
const scrolled = { tabIndex: 0 } as const

function Code({ text }: { readonly text: string }) {
  return (
    <figure
      {...scrolled}
      aria-label="Code"
      dir="ltr"
      className="overflow-x-auto rounded-control bg-sunken p-3 font-mono text-meta leading-[18px]"
    >
      <pre>{text}</pre>
    </figure>
  )
}

function List({ list, below }: Below & { readonly list: Extract<Block, { kind: 'list' }> }) {
  const items = list.items.map(({ is_checked, blocks }, at) => (
    <li key={keyOf(at)} className="flex gap-2">
      {is_checked === undefined ? (
        <span className="min-w-3 shrink-0 text-ink-3" aria-hidden>
          {list.start === undefined ? '•' : `${list.start + at}.`}
        </span>
      ) : (
        <input
          type="checkbox"
          checked={is_checked}
          disabled
          aria-label={is_checked ? 'Done' : 'Not done'}
          className="mt-1 size-3.5 shrink-0 accent-ink"
        />
      )}
      <div className="flex min-w-0 grow flex-col gap-1">
        <Blocks blocks={blocks} below={below} />
      </div>
    </li>
  ))
  const look = 'flex flex-col gap-1'
  return list.start === undefined ? (
    <ul className={look}>{items}</ul>
  ) : (
    <ol start={list.start} className={look}>
      {items}
    </ol>
  )
}

const aligned = { left: 'text-left', center: 'text-center', right: 'text-right' } as const

function Table({ table: { aligns, head, rows } }: { readonly table: Extract<Block, { kind: 'table' }> }) {
  const look = (column: number) => classNames('px-3 py-1.5 align-top', aligned[aligns[column] ?? 'left'])
  return (
    <figure {...scrolled} aria-label="Table" className="overflow-x-auto rounded-control border border-line">
      <table className="w-full text-ui">
        <thead>
          <tr className="border-line border-b bg-sunken">
            {head.map((cell, column) => (
              <th key={keyOf(column)} className={classNames('font-medium', look(column))}>
                <Words text={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {rows.map((cells, row) => (
            <tr key={keyOf(row)}>
              {cells.map((cell, column) => (
                <td key={keyOf(column)} className={look(column)}>
                  <Words text={cell} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}

/** Marks within marks, such as code in bold words, to this depth. */
const mostNested = 3

function Words({ text, depth = 0 }: { readonly text: string; readonly depth?: number }): ReactNode {
  return inlineOf(text).map((part, at) => (
    <Fragment key={keyOf(at)}>
      <Word part={part} depth={depth} />
    </Fragment>
  ))
}

function Word({ part, depth }: { readonly part: Inline; readonly depth: number }): ReactNode {
  if (part.kind === 'break') return <br />
  if (part.kind === 'text') return part.text
  if (part.kind === 'mention') return <Mention text={part.text} />
  if (part.kind === 'code')
    return <code className="rounded-tag bg-sunken px-1 font-mono text-[0.92em]">{part.text}</code>
  const words = depth < mostNested ? <Words text={part.text} depth={depth + 1} /> : part.text
  if (part.kind === 'strong') return <strong className="font-semibold">{words}</strong>
  if (part.kind === 'emphasis') return <em>{words}</em>
  if (part.kind === 'deleted') return <del className="text-ink-2">{words}</del>
  return (
    <a
      href={part.address}
      target="_blank"
      rel="noopener noreferrer nofollow"
      className="text-link underline underline-offset-2"
    >
      {part.text}
    </a>
  )
}
