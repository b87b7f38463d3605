import type { Token } from '@crewhall/contracts/identity/tokens.ts'
import { useMutation } from '@tanstack/react-query'
import { Ellipsis, KeyRound, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { newAction } from '../../../api/own-fetch.ts'
import { useBrand } from '../../../app/session.ts'
import { dayTold, useNow } from '../../../app/times.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Avatar } from '../../../ui/avatar.tsx'
import { IconButton } from '../../../ui/button.tsx'
import { Confirm } from '../../../ui/dialog.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { Table } from '../../../ui/table.tsx'
import { say, sayFailed } from '../../../ui/toast.tsx'
import { type GivenSecret, readTokensAgain, tokensApi } from './token-data.ts'

interface TableProps {
  readonly title: string
  readonly tokens: readonly Token[]
  readonly onGiven: (given: GivenSecret) => void
}

export function TokenTable({ title, tokens, onGiven }: TableProps) {
  const now = useNow()
  return (
    <section aria-label={title}>
      <h2 className="mb-2 font-semibold text-section">{title}</h2>
      <Table
        rows={tokens}
        keyOf={({ id }) => id}
        lines={2}
        columns={[
          { name: 'Name', cell: (token) => <TokenName token={token} /> },
          {
            name: 'Scopes',
            width: 'w-64',
            from: 'lg',
            look: 'font-mono text-ink-2 text-micro',
            cell: ({ scopes }) => (scopes.length === 0 ? '–' : scopes.join(' ')),
          },
          {
            name: 'Secret',
            width: 'w-24',
            from: 'md',
            look: 'font-mono text-ink-2 text-meta',
            cell: ({ last_four }) => `…${last_four}`,
          },
          {
            name: 'Last used',
            width: 'w-28',
            from: 'md',
            atEnd: true,
            look: 'text-ink-2',
            cell: ({ last_used_on }) => (last_used_on === null ? 'Never' : dayOf(last_used_on, now)),
          },
          {
            name: 'Expires',
            width: 'w-24 md:w-32',
            atEnd: true,
            title: ({ expires_at }) => expires_at,
            cell: ({ expires_at }) => <Expiry at={expires_at} now={now} />,
          },
          {
            name: 'Actions',
            width: 'w-12',
            hasActions: true,
            cell: (token) => <TokenMenu token={token} onGiven={onGiven} />,
          },
        ]}
      />
    </section>
  )
}

const dayMs = 24 * 60 * 60_000

function TokenName({ token }: { readonly token: Token }) {
  const { name, person, agent, agent_id, scopes } = token
  return (
    <div className="flex items-center gap-2.5">
      <Avatar
        name={agent ?? person.name}
        id={agent_id ?? String(person.id)}
        kind={agent === null ? 'person' : 'agent'}
      />
      <div className="min-w-0">
        <div className="break-words font-medium">{name}</div>
        <div className="break-words text-ink-2 text-meta">{ownerOf(token)}</div>
        <div className="font-mono text-ink-2 text-micro lg:hidden">{scopes.join(' ')}</div>
      </div>
    </div>
  )
}

function Expiry({ at, now }: { readonly at: string; readonly now: number }) {
  const left = Date.parse(at) - now
  return <span className={left < 7 * dayMs ? 'text-warn' : 'text-ink-2'}>{inDays(left, at, now)}</span>
}

/** "Marlow for Ines"; a service account is its own person. */
const ownerOf = ({ agent, person }: Token): string =>
  agent === null || agent === person.name ? person.name : `${agent} for ${person.name}`

/** The server tells days, not times: who used it when is nobody's business. */
const dayOf = (day: string, now: number): string =>
  day === new Date(now).toISOString().slice(0, 10) ? 'Today' : dayTold(day, now)

function inDays(left: number, at: string, now: number): string {
  if (left <= 0) return 'Expired'
  const days = Math.ceil(left / dayMs)
  if (days <= 30) return days === 1 ? 'in a day' : `in ${days} days`
  return dayTold(at, now)
}

interface MenuProps {
  readonly token: Token
  readonly onGiven: (given: GivenSecret) => void
}

function TokenMenu({ token, onGiven }: MenuProps) {
  const { brand_id } = useBrand()
  const canWrite = useCanWrite()
  const [asking, setAsking] = useState<'rotate' | 'revoke'>()
  const at = { params: { brand_id, token_id: token.id } }
  const rotate = useMutation({
    mutationFn: async () => (await tokensApi.acting(newAction()).identity.rotateToken(at)).body,
    onSuccess: ({ name, token: secret }) => {
      readTokensAgain()
      setAsking(undefined)
      rotate.reset()
      onGiven({ name, secret, is_new: false })
    },
    onError: (error) => sayFailed(`The secret of ${token.name} was not replaced`, error),
    gcTime: 0,
  })
  const revoke = useMutation({
    mutationFn: () => tokensApi.acting(newAction()).identity.revokeToken(at),
    onSuccess: () => {
      readTokensAgain()
      setAsking(undefined)
      say(`${token.name} is revoked`)
    },
    onError: (error) => sayFailed(`${token.name} was not revoked`, error),
  })
  return (
    <>
      <Menu
        align="end"
        trigger={
          <IconButton label={`Actions for ${token.name}`}>
            <Ellipsis size={16} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem icon={KeyRound} disabled={!canWrite} onSelect={() => setAsking('rotate')}>
          Rotate the secret
        </MenuItem>
        <MenuItem icon={Trash2} disabled={!canWrite} onSelect={() => setAsking('revoke')}>
          Revoke
        </MenuItem>
      </Menu>
      <Confirm
        open={asking === 'rotate'}
        onOpenChange={(open) => setAsking(open ? 'rotate' : undefined)}
        title={`Rotate the secret of ${token.name}?`}
        consequences={[
          'The old secret stops working at once; whatever uses it is refused until it has the new one.',
          'Name, scopes and agent stay as they are.',
        ]}
        action="Rotate"
        busy={rotate.isPending}
        onConfirm={() => rotate.mutate()}
      />
      <Confirm
        open={asking === 'revoke'}
        onOpenChange={(open) => setAsking(open ? 'revoke' : undefined)}
        title={`Revoke ${token.name}?`}
        consequences={[
          'Whatever uses it is refused from the next request on.',
          'Every token that it issued is revoked with it.',
          'This cannot be undone.',
        ]}
        action="Revoke"
        is_final
        busy={revoke.isPending}
        onConfirm={() => revoke.mutate()}
      />
    </>
  )
}
