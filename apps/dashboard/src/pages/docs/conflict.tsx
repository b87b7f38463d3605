import type { Page as DocsPage } from '@crewhall/contracts/docs-spaces/pages.ts'
import { useState } from 'react'
import { useNow, whenTold } from '../../app/times.ts'
import { Button } from '../../ui/button.tsx'
import { Confirm } from '../../ui/dialog.tsx'
import { Comparison } from './comparison.tsx'
import type { Draft } from './draft.ts'

interface ConflictProps {
  readonly saved: DocsPage
  readonly draft: Draft
  readonly busy: boolean
  readonly canWrite: boolean
  readonly onMine: () => void
  readonly onTheirs: () => void
  readonly onEdit: () => void
}

/** Two people wrote the same page: both texts, and a choice. Nothing is written before it is made. */
export function Conflict({ saved, draft, busy, canWrite, onMine, onTheirs, onEdit }: ConflictProps) {
  const [isAsking, setAsking] = useState(false)
  const now = useNow()
  const names = [`saved, version ${saved.version}`, 'yours'] as const
  return (
    <div className="mx-auto flex w-full max-w-280 flex-col gap-4 px-4 py-5 md:px-6">
      <header>
        <h2 className="font-semibold text-section">Somebody saved this page while you wrote</h2>
        <p className="mt-1 max-w-160 text-ink-2 text-read">
          You began with version {draft.version}. Version {saved.version} was saved{' '}
          {whenTold(saved.updated_at, now)}. Nothing of yours is lost, and nothing was written over.
        </p>
      </header>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onEdit}>
          Go on with my text
        </Button>
        <Button busy={busy} disabled={!canWrite} onClick={onMine}>
          Save mine over it
        </Button>
        <Button onClick={() => setAsking(true)}>Take the saved one</Button>
      </div>
      {saved.title !== draft.title && (
        <section>
          <h3 className="mb-2 font-medium">Title</h3>
          <Comparison first={saved.title} second={draft.title} names={names} />
        </section>
      )}
      <section>
        <h3 className="mb-2 font-medium">Text</h3>
        <Comparison first={saved.body} second={draft.body} names={names} />
      </section>
      <Confirm
        open={isAsking}
        onOpenChange={setAsking}
        title="Take the saved text?"
        consequences={['What you wrote is thrown away.', `Version ${saved.version} stays as it is.`]}
        action="Throw mine away"
        is_final
        busy={false}
        onConfirm={onTheirs}
      />
    </div>
  )
}
