import {
  Bold,
  Code,
  Heading,
  Italic,
  Link as LinkIcon,
  List,
  ListChecks,
  type LucideIcon,
  TextQuote,
} from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { IconButton } from '../../ui/button.tsx'
import { modKey } from '../../ui/key-cap.tsx'
import { type Edit, type Edited, link, newLine, prefix, wrap } from './text-edits.ts'

interface Tool {
  readonly label: string
  readonly icon: LucideIcon
  /** With Ctrl or Command. */
  readonly key?: string
  readonly edit: (edited: Edited) => Edit
}

const tools: readonly Tool[] = [
  { label: 'Heading', icon: Heading, edit: (edited) => prefix(edited, '## ') },
  { label: 'Bold', icon: Bold, key: 'b', edit: (edited) => wrap(edited, '**') },
  { label: 'Italic', icon: Italic, key: 'i', edit: (edited) => wrap(edited, '*') },
  { label: 'Code', icon: Code, key: 'e', edit: (edited) => wrap(edited, '`') },
  { label: 'Link', icon: LinkIcon, key: 'k', edit: link },
  { label: 'List', icon: List, edit: (edited) => prefix(edited, '- ') },
  { label: 'Tasks', icon: ListChecks, edit: (edited) => prefix(edited, '- [ ] ') },
  { label: 'Quote', icon: TextQuote, edit: (edited) => prefix(edited, '> ') },
]

interface MarkdownFieldProps {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly onSave: () => void
}

/** A plain field with a row of tools. Tab leaves it, as it leaves every field. */
export function MarkdownField({ value, onChange, onSave }: MarkdownFieldProps) {
  const field = useRef<HTMLTextAreaElement>(null)
  const run = (make: (edited: Edited) => Edit | undefined): boolean => {
    const area = field.current
    const edit = area && make({ text: area.value, start: area.selectionStart, end: area.selectionEnd })
    if (!edit) return false
    apply(area, edit)
    return true
  }
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const isMod = event.ctrlKey || event.metaKey
    const isPlain = !isMod && !event.shiftKey && !event.altKey && !event.nativeEvent.isComposing
    const name = event.key.toLowerCase()
    const tool = isMod && !event.altKey && !event.shiftKey ? tools.find(({ key }) => key === name) : undefined
    const isSave = isMod && (name === 's' || name === 'enter')
    const isDone = isSave || (tool ? run(tool.edit) : isPlain && name === 'enter' && run(newLine))
    if (!isDone) return
    // Neither the browser nor the shell has another use for the key here.
    event.preventDefault()
    event.stopPropagation()
    if (isSave) onSave()
  }
  return (
    <div className="flex min-h-0 grow flex-col">
      <div
        role="toolbar"
        aria-label="Markdown"
        className="flex shrink-0 gap-0.5 overflow-x-auto border-line border-b px-2 py-1"
      >
        {tools.map(({ label, icon: Icon, key, edit }) => (
          <IconButton
            key={label}
            label={key === undefined ? label : `${label} (${modKey} ${key.toUpperCase()})`}
            onClick={() => run(edit)}
          >
            <Icon size={15} strokeWidth={1.75} aria-hidden />
          </IconButton>
        ))}
      </div>
      <textarea
        ref={field}
        value={value}
        aria-label="Text in Markdown"
        placeholder="Write in Markdown"
        dir="auto"
        spellCheck
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="min-h-60 w-full grow resize-none bg-surface px-4 py-3 font-mono text-ui leading-[21px] outline-none placeholder:text-ink-3 focus-visible:bg-surface"
      />
    </div>
  )
}

/** As if it had been typed, so that the browser can undo it. */
function apply(area: HTMLTextAreaElement, { from, to, by, select }: Edit): void {
  area.focus()
  area.setSelectionRange(from, to)
  const isTyped = by === '' ? document.execCommand('delete') : document.execCommand('insertText', false, by)
  if (!isTyped) {
    area.setRangeText(by)
    area.dispatchEvent(new Event('input', { bubbles: true }))
  }
  area.setSelectionRange(...select)
}
