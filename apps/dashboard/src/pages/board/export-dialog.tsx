import { ApiError } from '@crewhall/client/client.ts'
import type { Board } from '@crewhall/contracts/boards/boards.ts'
import * as exports from '@crewhall/contracts/boards/export.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { apiOf } from '../../api/api.ts'
import { problemOf } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { FormError } from '../../ui/form-error.tsx'
import { State } from '../../ui/states.tsx'
import { bytesOf } from '../../work/figures.ts'

const api = apiOf({ boards: routesIn(exports) })

type Format = (typeof exports.exportFormats)[number]
const formats: Readonly<Record<Format, readonly [string, string]>> = {
  md: ['Markdown', 'For people, agents and version control. At most 1 MiB.'],
  csv: ['CSV', 'For spreadsheets: one row for each card.'],
  jsonl: ['JSON lines', 'For programs: one whole card on each line, with comments and relations.'],
}

/** What the export would have been, and the shorter one that there is instead. */
interface TooLarge {
  readonly actual_bytes: number
  readonly limit_bytes: number
  readonly summary: Uint8Array
}

interface ExportDialogProps {
  readonly board: Board
  readonly onClose: () => void
}

/** A board as a file. What is too large as Markdown is offered without the long texts. */
export function ExportDialog({ board, onClose }: ExportDialogProps) {
  const [format, setFormat] = useState<Format>('md')
  const [tooLarge, setTooLarge] = useState<TooLarge>()
  const read = async (query: { format: Format; detail?: 'summary' }) =>
    (await api.reading().boards.exportBoard({ params: { board_id: board.id }, query })).body
  const sending = useMutation({
    mutationFn: async () => {
      try {
        return await read({ format })
      } catch (error) {
        const sizes = sizesOf(error)
        if (!sizes) throw error
        setTooLarge({ ...sizes, summary: await read({ format, detail: 'summary' }) })
        return undefined
      }
    },
    onSuccess: (bytes) => {
      if (!bytes) return
      download(bytes, `${board.key}.${format}`)
      onClose()
    },
  })
  return (
    <Dialog open onOpenChange={onClose} title={`Export ${board.name}`} width="m">
      {tooLarge ? (
        <State
          icon={Download}
          title={`The export is ${mebibytes(tooLarge.actual_bytes)}, the limit ${mebibytes(tooLarge.limit_bytes)}`}
          action={
            <Button
              look="primary"
              onClick={() => {
                download(tooLarge.summary, `${board.key}-summary.md`)
                onClose()
              }}
            >
              <Download size={14} aria-hidden />
              Download summary
            </Button>
          }
        >
          The summary has every card without the long texts: {bytesOf(tooLarge.summary.length)}.
        </State>
      ) : (
        <div className="flex flex-col gap-4">
          <fieldset className="divide-y divide-line overflow-hidden rounded-card border border-line">
            <legend className="sr-only">Format</legend>
            {exports.exportFormats.map((each) => (
              <label
                key={each}
                className={classNames('flex items-start gap-3 px-4 py-3', each === format && 'bg-selected')}
              >
                <input
                  type="radio"
                  name="format"
                  className="mt-1 accent-ink"
                  checked={each === format}
                  onChange={() => setFormat(each)}
                />
                <span>
                  <span className="block font-medium">{formats[each][0]}</span>
                  <span className="block text-ink-2">{formats[each][1]}</span>
                </span>
              </label>
            ))}
          </fieldset>
          <p className="text-ink-2">Archived cards are left out.</p>
          <FormError problem={sending.isError ? problemOf(sending.error) : undefined} />
          <div className="flex justify-end gap-2">
            <Button onClick={onClose}>Cancel</Button>
            <Button look="primary" busy={sending.isPending} onClick={() => sending.mutate()}>
              <Download size={14} aria-hidden />
              Download
            </Button>
          </div>
        </div>
      )}
    </Dialog>
  )
}

/** The sizes that the server tells with its refusal; undefined for any other one. */
function sizesOf(error: unknown): Omit<TooLarge, 'summary'> | undefined {
  if (!(error instanceof ApiError) || error.status !== 413 || typeof error.detail === 'string')
    return undefined
  const { actual_bytes, limit_bytes } = error.detail
  if (typeof actual_bytes !== 'number' || typeof limit_bytes !== 'number') return undefined
  return { actual_bytes, limit_bytes }
}

const mebibytes = (bytes: number): string => `${Number((bytes / 1_048_576).toFixed(2))} MiB`

function download(bytes: Uint8Array, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>]))
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}
