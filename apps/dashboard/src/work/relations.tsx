import type { FullCard } from '@crewhall/contracts/boards/card-fields.ts'
import { type Relation, type RelationKind, relationKinds } from '@crewhall/contracts/boards/relations.ts'
import * as search from '@crewhall/contracts/boards/search.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, X } from 'lucide-react'
import { useDeferredValue, useId, useState } from 'react'
import { apiOf } from '../api/api.ts'
import { newAction } from '../api/own-fetch.ts'
import { toCard } from '../app/paths.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { Select } from '../ui/select.tsx'
import { useForm } from '../ui/use-form.ts'
import { cardPartsApi, relationsQuery } from './card-data.ts'
import { readCardAgain, useCardAction } from './card-writes.ts'
import { Property } from './property.tsx'

const api = apiOf({ boards: routesIn(search) })

const kindWords: Readonly<Record<RelationKind, string>> = {
  blocks: 'Blocks',
  blocked_by: 'Blocked by',
  // What this card is to the other one.
  parent: 'Children',
  child: 'Parent',
  relates: 'Relates to',
  duplicates: 'Duplicates',
}

interface RelationsProps {
  readonly card: FullCard
  readonly canWrite: boolean
}

/** What the card is to others, as properties; each can be removed, and one can be added by its reference. */
export function Relations({ card, canWrite }: RelationsProps) {
  const { data: relations = [] } = useQuery(relationsQuery(card.ref))
  const [isAdding, setAdding] = useState(false)
  const remove = useCardAction(card, {
    what: 'The relation was not removed',
    run: ({ kind, task }: Relation) =>
      cardPartsApi
        .acting(newAction())
        .boards.removeRelation({ params: { task_id: card.ref, kind, other_id: task.id } }),
  })
  return (
    <>
      {[...Map.groupBy(relations, ({ kind }) => kind)].map(([kind, all]) => (
        <Property key={kind} name={kindWords[kind]}>
          <ul className="flex flex-wrap gap-x-2 py-1">
            {all.map((relation) => (
              <li key={relation.task.id} className="group flex h-5.5 items-center">
                <Link
                  {...toCard(relation.task.ref)}
                  title={relation.task.title}
                  className="rounded-tag font-mono text-meta hover:underline"
                >
                  {relation.task.ref}
                </Link>
                {canWrite && (
                  <button
                    type="button"
                    aria-label={`Remove the relation to ${relation.task.ref}`}
                    title="Remove the relation"
                    disabled={remove.isPending}
                    onClick={() => remove.mutate(relation)}
                    className="flex size-6 items-center justify-center rounded-tag text-ink-3 hover:text-ink focus-visible:opacity-100 group-hover:opacity-100 md:opacity-0"
                  >
                    <X size={12} aria-hidden />
                  </button>
                )}
              </li>
            ))}
          </ul>
        </Property>
      ))}
      {canWrite && (
        <Property name="Relations">
          <Button size="s" look="quiet" className="-ml-1.5" onClick={() => setAdding(true)}>
            <Plus size={13} aria-hidden />
            Add
          </Button>
        </Property>
      )}
      <Dialog
        open={isAdding}
        onOpenChange={setAdding}
        title={`Relate ${card.ref} to another card`}
        description="On any board of the workspace."
      >
        {isAdding && <RelationForm card={card} onDone={() => setAdding(false)} />}
      </Dialog>
    </>
  )
}

function RelationForm({ card, onDone }: { readonly card: FullCard; readonly onDone: () => void }) {
  const [typed, setTyped] = useState('')
  const listId = useId()
  const q = useDeferredValue(typed.trim())
  const { data: found } = useQuery({
    queryKey: ['cards-like', q],
    queryFn: async ({ signal }) =>
      (await api.reading(signal).boards.searchCards({ query: { q, per_page: '6' } })).body,
    enabled: q.length >= 2,
    placeholderData: (before) => before,
  })
  const form = useForm(async ({ kind = 'relates', other = '' }) => {
    await cardPartsApi.acting(newAction()).boards.addRelation({
      params: { task_id: card.ref, kind: kind as RelationKind, other_id: other.trim() },
    })
    await readCardAgain(card)
  }, onDone)
  return (
    <form onSubmit={form.onSubmit} className="flex flex-col gap-4" noValidate>
      <Select
        label={`${card.ref} …`}
        name="kind"
        defaultValue="blocked_by"
        options={relationKinds.map((value) => ({ value, word: sentences[value] }))}
      />
      <Field
        label="Card"
        name="other"
        autoFocus
        autoComplete="off"
        list={listId}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        hint="Its reference, such as DSP-12. Words of its title find it."
      />
      <datalist id={listId}>
        {found?.items
          .filter(({ id }) => id !== card.id)
          .map(({ id, ref, title }) => (
            <option key={id} value={ref}>
              {title}
            </option>
          ))}
      </datalist>
      <FormError problem={form.problem} />
      <div className="flex justify-end gap-2">
        <Button onClick={onDone}>Cancel</Button>
        <Button type="submit" look="primary" busy={form.isBusy} disabled={typed.trim() === ''}>
          Add relation
        </Button>
      </div>
    </form>
  )
}

const sentences: Readonly<Record<RelationKind, string>> = {
  blocked_by: 'is blocked by',
  blocks: 'blocks',
  child: 'is a child of',
  parent: 'is the parent of',
  relates: 'relates to',
  duplicates: 'duplicates',
}
