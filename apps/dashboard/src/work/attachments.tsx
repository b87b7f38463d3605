import type { ListedAttachment } from '@crewhall/contracts/boards/attachments.ts'
import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { useQuery } from '@tanstack/react-query'
import { Download, Paperclip, Trash2, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { type Action, newAction } from '../api/own-fetch.ts'
import { problemOf } from '../api/problem.ts'
import { useNow, whenTold } from '../app/times.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Confirm } from '../ui/dialog.tsx'
import { announce } from '../ui/live-region.tsx'
import { attachmentsQuery, cardPartsApi } from './card-data.ts'
import { readCardAgain, useCardAction } from './card-writes.ts'
import { bytesOf } from './figures.ts'
import { Section } from './section.tsx'
import { actorName } from './who.tsx'

interface Sending {
  readonly file: File
  /** The same for every try. */
  readonly action: Action
  readonly stop: AbortController
  readonly part: number
  /** Why it was refused. */
  readonly refusal?: string
}

/** Files go up one by one; each shows how far it is, and why it was refused. */
function useUploads(card: FullCard) {
  const [sending, setSending] = useState<ReadonlyMap<string, Sending>>(new Map())
  const set = (key: string, change: Partial<Sending> | undefined) =>
    setSending((before) => {
      const next = new Map(before)
      const known = next.get(key)
      if (change === undefined) next.delete(key)
      else if (known) next.set(key, { ...known, ...change })
      return next
    })
  const send = async (key: string, { file, action, stop }: Sending) => {
    try {
      await cardPartsApi
        .acting({ ...action, signal: stop.signal, onProgress: (part) => set(key, { part }) })
        .boards.addAttachment({ params: { task_id: card.ref }, file })
      announce(`${file.name} attached`)
      await readCardAgain(card)
      set(key, undefined)
    } catch (error) {
      if (stop.signal.aborted) set(key, undefined)
      else set(key, { refusal: problemOf(error).text })
    }
  }
  const add = async (files: readonly File[]) => {
    const fresh = files.map((file): readonly [string, Sending] => {
      const action = newAction({ timeout_ms: 10 * 60_000 })
      return [action.key ?? '', { file, action, stop: new AbortController(), part: 0 }]
    })
    setSending((before) => new Map([...before, ...fresh]))
    for (const [key, one] of fresh) if (!one.stop.signal.aborted) await send(key, one)
  }
  const stop = (key: string) => {
    sending.get(key)?.stop.abort()
    set(key, undefined)
  }
  const again = (key: string) => {
    const one = sending.get(key)
    if (!one) return
    const { refusal: _, ...fresh } = { ...one, part: 0 }
    setSending((before) => new Map([...before, [key, fresh]]))
    void send(key, fresh)
  }
  return { sending, add, stop, again }
}

export function Attachments({ card, canWrite }: { readonly card: FullCard; readonly canWrite: boolean }) {
  const { data = [] } = useQuery(attachmentsQuery(card.ref))
  const { sending, add, stop, again } = useUploads(card)
  const [removed, setRemoved] = useState<ListedAttachment>()
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const remove = useCardAction(card, {
    what: 'The file was not removed',
    run: (id: string) =>
      cardPartsApi.acting(newAction()).boards.removeAttachment({ params: { attachment_id: id } }),
  })
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be dropped here; the button does the same
    <div
      onDragOver={(event) => {
        if (!canWrite || !event.dataTransfer.types.includes('Files')) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (!canWrite || event.dataTransfer.files.length === 0) return
        event.preventDefault()
        void add([...event.dataTransfer.files])
      }}
      className={classNames('rounded-card', isOver && 'outline-2 outline-focus outline-offset-4')}
    >
      <Section title="Files" aside={data.length > 0 ? String(data.length) : undefined}>
        {data.length + sending.size > 0 && (
          <ul className="divide-y divide-line border-line border-y">
            {data.map((file) => (
              <Attached key={file.id} file={file} canWrite={canWrite} onRemove={() => setRemoved(file)} />
            ))}
            {[...sending].map(([key, one]) => (
              <Upload key={key} sending={one} onStop={() => stop(key)} onAgain={() => again(key)} />
            ))}
          </ul>
        )}
        <div>
          <input
            ref={input}
            type="file"
            multiple
            className="sr-only"
            tabIndex={-1}
            aria-label="File to attach"
            onChange={({ target }) => {
              void add([...(target.files ?? [])])
              target.value = ''
            }}
          />
          <Button size="s" disabled={!canWrite} onClick={() => input.current?.click()}>
            <Paperclip size={13} aria-hidden />
            Attach a file
          </Button>
        </div>
      </Section>
      <Confirm
        open={removed !== undefined}
        onOpenChange={(open) => !open && setRemoved(undefined)}
        title={`Remove ${removed?.name ?? ''}?`}
        consequences={['The file is deleted for everybody and cannot be restored.']}
        action="Remove file"
        is_final
        busy={remove.isPending}
        onConfirm={() => removed && remove.mutate(removed.id, { onSettled: () => setRemoved(undefined) })}
      />
    </div>
  )
}

interface AttachedProps {
  readonly file: ListedAttachment
  readonly canWrite: boolean
  readonly onRemove: () => void
}

function Attached({ file: { id, name, size, created_by, created_at }, canWrite, onRemove }: AttachedProps) {
  const now = useNow()
  return (
    <li className="flex min-h-9 items-center gap-2.5">
      <Paperclip size={14} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
      <a
        href={`/api/v1/board/attachments/${encodeURIComponent(id)}/content`}
        download={name}
        title={name}
        className="flex min-w-0 items-center gap-1.5 text-link hover:underline"
      >
        <span className="truncate">{name}</span>
        <Download size={13} className="shrink-0" aria-hidden />
      </a>
      <span className="ml-auto min-w-0 truncate text-ink-2 text-meta" title={created_at}>
        {bytesOf(size)}, {actorName(created_by)}, {whenTold(created_at, now)}
      </span>
      {canWrite && (
        <IconButton label={`Remove ${name}`} className="size-7!" onClick={onRemove}>
          <Trash2 size={14} strokeWidth={1.75} aria-hidden />
        </IconButton>
      )}
    </li>
  )
}

interface UploadProps {
  readonly sending: Sending
  readonly onStop: () => void
  readonly onAgain: () => void
}

function Upload({ sending: { file, part, refusal }, onStop, onAgain }: UploadProps) {
  const percent = Math.round(part * 100)
  return (
    <li className="flex min-h-9 flex-wrap items-center gap-2.5 py-1">
      <Paperclip size={14} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
      <span className="min-w-0 truncate">{file.name}</span>
      {refusal === undefined ? (
        <>
          <span
            role="progressbar"
            aria-label={`${file.name}, sent`}
            aria-valuenow={percent}
            aria-valuemin={0}
            aria-valuemax={100}
            className="ml-auto h-1 w-24 shrink-0 overflow-hidden rounded-full bg-sunken"
          >
            <span className="block h-full bg-live-mark" style={{ width: `${percent}%` }} />
          </span>
          <span className="w-9 shrink-0 text-right text-ink-2 text-meta">{percent} %</span>
        </>
      ) : (
        <>
          <span role="alert" className="ml-auto min-w-0 text-bad text-meta">
            {refusal}
          </span>
          <Button size="s" onClick={onAgain}>
            Try again
          </Button>
        </>
      )}
      <IconButton
        label={refusal === undefined ? `Stop sending ${file.name}` : `Forget ${file.name}`}
        className="size-7!"
        onClick={onStop}
      >
        <X size={14} strokeWidth={1.75} aria-hidden />
      </IconButton>
    </li>
  )
}
