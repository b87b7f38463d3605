import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useQuery } from '@tanstack/react-query'
import { Check, Download, Paperclip, X } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { newAction } from '../api/own-fetch.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { attachmentsQuery, cardPartsApi, checklistQuery, useCardAction, useChangeCard } from './card-data.ts'
import { bytesOf } from './figures.ts'
import { InlineText } from './inline-text.tsx'
import { Prose } from './prose.tsx'

interface BriefProps {
  readonly card: FullCard
  readonly canWrite: boolean
}

/** What is to be done and when it is done. */
export function Brief({ card, canWrite }: BriefProps) {
  return (
    <div className="flex flex-col gap-6">
      <DoneWhen card={card} canWrite={canWrite} />
      <Text title="Instructions" text={card.instructions} />
      <Text title="Plan" text={card.plan} />
      <Text title="Notes" text={card.notes} />
      <Text title="Result" text={card.result} />
      <Text title="Review" text={card.review} />
      <Text title="Log" text={card.log} />
      <Attachments card={card} canWrite={canWrite} />
    </div>
  )
}

function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="flex items-baseline gap-2 font-semibold">
        {title}
        {aside !== undefined && <span className="font-normal text-ink-2 text-meta">{aside}</span>}
      </h3>
      {children}
    </section>
  )
}

function Text({ title, text }: { readonly title: string; readonly text: string }) {
  if (text.trim() === '') return null
  return (
    <Section title={title}>
      <Prose text={text} />
    </Section>
  )
}

const box = /^(\s*[-*]\s+\[)([ xX])(\]\s+)(.*)$/

/** Boxes in the acceptance criteria and items of the checklist, as one list: they count together. */
function DoneWhen({ card, canWrite }: BriefProps) {
  const { data: items = [] } = useQuery(checklistQuery(card.ref))
  const change = useChangeCard(card)
  const check = useCardAction(card, {
    what: 'The item was not changed',
    run: ({ id, done }: { readonly id: string; readonly done: boolean }) =>
      cardPartsApi
        .acting(newAction())
        .boards.changeChecklistItem({ params: { item_id: id }, body: { done } }),
  })
  const remove = useCardAction(card, {
    what: 'The item was not removed',
    run: (id: string) =>
      cardPartsApi.acting(newAction()).boards.removeChecklistItem({ params: { item_id: id } }),
  })
  const lines = card.acceptance_criteria.split('\n')
  const rest = lines.filter((line) => !box.test(line)).join('\n')
  const toggleLine = (at: number) => {
    const acceptance_criteria = lines
      .map((line, index) =>
        index === at
          ? line.replace(
              box,
              (_, open, mark, close, text) => `${open}${mark === ' ' ? 'x' : ' '}${close}${text}`,
            )
          : line,
      )
      .join('\n')
    change.mutate({ acceptance_criteria })
  }
  const aside =
    card.checklist_total > 0 ? `${card.checklist_done} of ${card.checklist_total}` : 'nothing to check yet'
  return (
    <Section title="Done when" aside={aside}>
      {rest.trim() !== '' && <Prose text={rest} />}
      <ul>
        {lines.map((line, at) => {
          const found = box.exec(line)
          return (
            found && (
              <Box
                // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text have no other name
                key={at}
                isDone={found[2] !== ' '}
                text={found[4] ?? ''}
                disabled={!canWrite || change.isPending}
                onToggle={() => toggleLine(at)}
              />
            )
          )
        })}
        {items.map(({ id, done, text }) => (
          <Box
            key={id}
            isDone={done}
            text={text}
            disabled={!canWrite || check.isPending}
            onToggle={() => check.mutate({ id, done: !done })}
            onRemove={() => remove.mutate(id)}
          />
        ))}
      </ul>
      <AddItem card={card} canWrite={canWrite} />
    </Section>
  )
}

interface BoxProps {
  readonly isDone: boolean
  readonly text: string
  readonly disabled: boolean
  readonly onToggle: () => void
  readonly onRemove?: () => void
}

function Box({ isDone, text, disabled, onToggle, onRemove }: BoxProps) {
  return (
    <li className="group flex items-start gap-2.5">
      <label className="flex min-h-7 min-w-0 grow cursor-pointer items-start gap-2.5 py-1">
        <input
          type="checkbox"
          className="peer sr-only"
          checked={isDone}
          disabled={disabled}
          onChange={onToggle}
        />
        <span
          aria-hidden
          className={classNames(
            'mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-tag border peer-focus-visible:outline-2 peer-focus-visible:outline-focus peer-focus-visible:outline-offset-2',
            isDone ? 'border-ink bg-ink text-on-ink' : 'border-line-control',
          )}
        >
          {isDone && <Check size={12} strokeWidth={3} />}
        </span>
        <span className={classNames('min-w-0 break-words', isDone && 'text-ink-2')} dir="auto">
          <InlineText text={text} />
        </span>
      </label>
      {onRemove && !disabled && (
        <button
          type="button"
          aria-label={`Remove “${text}”`}
          onClick={onRemove}
          className="flex size-7 shrink-0 items-center justify-center rounded-tag text-ink-3 opacity-0 hover:text-ink focus-visible:opacity-100 group-hover:opacity-100"
        >
          <X size={13} aria-hidden />
        </button>
      )}
    </li>
  )
}

function AddItem({ card, canWrite }: BriefProps) {
  const [text, setText] = useState('')
  const add = useCardAction(card, {
    what: 'The item was not added',
    run: (item: string) =>
      cardPartsApi
        .acting(newAction())
        .boards.addChecklistItems({ params: { task_id: card.ref }, body: { checklist: [item] } }),
  })
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '' && !add.isPending) add.mutate(text.trim(), { onSuccess: () => setText('') })
      }}
    >
      <input
        value={text}
        disabled={!canWrite}
        onChange={(event) => setText(event.target.value)}
        aria-label="New checklist item"
        placeholder="Add an item"
        className="h-7 w-full rounded-tag bg-transparent pl-6.5 placeholder:text-ink-3"
      />
    </form>
  )
}

function Attachments({ card, canWrite }: BriefProps) {
  const { data = [] } = useQuery(attachmentsQuery(card.ref))
  const input = useRef<HTMLInputElement>(null)
  const add = useCardAction(card, {
    what: 'The file was not attached',
    run: (file: File) =>
      cardPartsApi.acting(newAction()).boards.addAttachment({ params: { task_id: card.ref }, file }),
  })
  return (
    <Section title="Files" aside={data.length > 0 ? String(data.length) : undefined}>
      {data.length > 0 && (
        <ul className="divide-y divide-line border-line border-y">
          {data.map(({ id, name, size, created_by }) => (
            <li key={id} className="flex h-9 items-center gap-2.5">
              <Paperclip size={14} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
              <a
                href={`/api/v1/board/attachments/${encodeURIComponent(id)}/content`}
                download={name}
                className="flex min-w-0 items-center gap-1.5 text-link hover:underline"
              >
                <span className="truncate">{name}</span>
                <Download size={13} className="shrink-0" aria-hidden />
              </a>
              <span className="ml-auto shrink-0 text-ink-2 text-meta">
                {bytesOf(size)}, {created_by.name}
              </span>
            </li>
          ))}
        </ul>
      )}
      <div>
        <input
          ref={input}
          type="file"
          className="sr-only"
          tabIndex={-1}
          aria-label="File to attach"
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file) add.mutate(file)
            target.value = ''
          }}
        />
        <Button size="s" disabled={!canWrite} busy={add.isPending} onClick={() => input.current?.click()}>
          <Paperclip size={13} aria-hidden />
          Attach a file
        </Button>
      </div>
    </Section>
  )
}
