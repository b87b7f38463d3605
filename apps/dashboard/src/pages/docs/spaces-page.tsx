import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { BookText, Plus } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../api/own-fetch.ts'
import { queries } from '../../app/queries.ts'
import { useNow, whenTold } from '../../app/times.ts'
import { useCanWrite } from '../../live/live.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows, State } from '../../ui/states.tsx'
import { docsApi, ownDocs, spacesQuery } from './docs-data.ts'
import { NameForm } from './name-form.tsx'

/** The docs spaces of the workspace. */
export function SpacesPage() {
  const [isAdding, setAdding] = useState(false)
  const [action, setAction] = useState(newAction)
  const canWrite = useCanWrite()
  const navigate = useNavigate()
  const add = () => {
    setAction(newAction())
    setAdding(true)
  }
  return (
    <Page
      title="Documents"
      actions={
        <Button look="primary" disabled={!canWrite} onClick={add}>
          <Plus size={15} aria-hidden />
          New space
        </Button>
      }
    >
      <Spaces canWrite={canWrite} onAdd={add} />
      <Dialog
        open={isAdding}
        onOpenChange={setAdding}
        title="New space"
        description="A space holds pages, and is shared with guests as a whole."
      >
        <NameForm
          action="Make space"
          onCancel={() => setAdding(false)}
          send={async (name) => (await docsApi.acting(action).docs.createSpace({ body: { name } })).body}
          onDone={({ id }) => {
            void queries.invalidateQueries({ queryKey: spacesQuery.queryKey })
            setAdding(false)
            void navigate({ to: ownDocs.hrefs.space(id) })
          }}
        />
      </Dialog>
    </Page>
  )
}

function Spaces({ canWrite, onAdd }: { readonly canWrite: boolean; readonly onAdd: () => void }) {
  const { data, error, refetch } = useQuery(spacesQuery)
  const now = useNow()
  if (error && !data) return <ErrorState error={error} what="The spaces" onRetry={() => void refetch()} />
  if (!data) return <SkeletonRows />
  if (data.length === 0)
    return (
      <State
        icon={BookText}
        title="No documents yet"
        action={
          <Button look="primary" disabled={!canWrite} onClick={onAdd}>
            Make a space
          </Button>
        }
      >
        A space holds the pages that a team writes: how it works, what it decided, what a customer should
        know.
      </State>
    )
  return (
    <div className="p-4 md:p-5">
      <div className="overflow-hidden rounded-card border border-line bg-surface">
        <table className="w-full table-fixed">
          <thead>
            <tr className="h-8.5 border-line border-b text-left text-ink-2 text-meta">
              <th className="px-4 font-medium">Space</th>
              <th className="w-28 px-4 text-right font-medium md:w-40">Made</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {data.map(({ id, name, created_at }) => (
              <tr key={id} className="relative h-[var(--ch-row-2)] hover:bg-hover">
                <td className="px-4">
                  <Link
                    to={ownDocs.hrefs.space(id)}
                    title={name}
                    className="flex items-center gap-3 font-medium after:absolute after:inset-0"
                  >
                    <BookText size={16} strokeWidth={1.75} className="shrink-0 text-ink-2" aria-hidden />
                    <span className="truncate" dir="auto">
                      {name}
                    </span>
                  </Link>
                </td>
                <td className="px-4 text-right text-ink-2" title={created_at}>
                  {whenTold(created_at, now)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </div>
  )
}
