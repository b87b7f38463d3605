import type { InboxEntry } from '@crewhall/contracts/inbox/inbox.ts'
import { AlarmClock } from 'lucide-react'
import { useState } from 'react'
import { useCanWrite } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Menu, MenuHeading, MenuItem } from '../../ui/menu.tsx'
import { say } from '../../ui/toast.tsx'
import { useMark } from './inbox-data.ts'

const triggerId = 'snooze'

/** As if its button were pressed. */
export const openSnooze = (): void => document.getElementById(triggerId)?.click()

/** Puts an entry away until later; a further cause brings it back earlier. */
export function SnoozeMenu({ entry, onGone }: { readonly entry: InboxEntry; readonly onGone: () => void }) {
  const canWrite = useCanWrite()
  const mark = useMark()
  const [isChoosing, setChoosing] = useState(false)
  const until = (at: Date) => {
    mark.mutate(
      { entries: [entry], state: 'snoozed', until: at.toISOString() },
      { onSuccess: () => say(`Snoozed until ${dayAndTime(at)}`) },
    )
    onGone()
  }
  return (
    <>
      <Menu
        align="end"
        trigger={
          <Button id={triggerId} disabled={!canWrite} busy={mark.isPending}>
            <AlarmClock size={14} strokeWidth={1.75} aria-hidden />
            Snooze
          </Button>
        }
      >
        <MenuHeading>Unread again</MenuHeading>
        {choices(new Date()).map(({ word, at }) => (
          <MenuItem
            key={word}
            onSelect={() => until(at)}
            keys={<span className="text-ink-3 text-meta">{dayAndTime(at)}</span>}
          >
            {word}
          </MenuItem>
        ))}
        <MenuItem onSelect={() => setChoosing(true)}>Choose a time…</MenuItem>
      </Menu>
      <Dialog open={isChoosing} onOpenChange={setChoosing} title="Snooze until">
        <form
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault()
            const chosen = new Date(String(new FormData(event.currentTarget).get('until')))
            if (Number.isNaN(chosen.getTime())) return
            setChoosing(false)
            until(chosen)
          }}
        >
          <Field label="Day and time" name="until" type="datetime-local" required autoFocus />
          <div className="flex justify-end gap-2">
            <Button onClick={() => setChoosing(false)}>Cancel</Button>
            <Button type="submit" look="primary">
              Snooze
            </Button>
          </div>
        </form>
      </Dialog>
    </>
  )
}

const hourMs = 3_600_000

function choices(now: Date) {
  const morning = (days: number) => {
    const at = new Date(now)
    at.setDate(at.getDate() + days)
    at.setHours(9, 0, 0, 0)
    return at
  }
  return [
    { word: 'In an hour', at: new Date(now.getTime() + hourMs) },
    { word: 'In three hours', at: new Date(now.getTime() + 3 * hourMs) },
    { word: 'Tomorrow', at: morning(1) },
    { word: 'Next Monday', at: morning((8 - now.getDay()) % 7 || 7) },
  ]
}

function dayAndTime(at: Date): string {
  const isToday = at.toDateString() === new Date().toDateString()
  return at.toLocaleString('en-GB', {
    ...(isToday ? {} : { day: 'numeric', month: 'short' }),
    hour: '2-digit',
    minute: '2-digit',
  })
}
