import type { Token } from '@crewhall/contracts/identity/tokens.ts'
import { useQuery } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { useState } from 'react'
import { useBrand, useMe } from '../../../app/session.ts'
import { useCanWrite } from '../../../live/live.tsx'
import { Button } from '../../../ui/button.tsx'
import { SecretOnce } from '../../../ui/secret-once.tsx'
import { ErrorState, SkeletonRows, State } from '../../../ui/states.tsx'
import { Frame } from '../../../ui/table.tsx'
import { SettingsLayout } from '../settings-layout.tsx'
import { NewToken } from './new-token.tsx'
import { type GivenSecret, tokensQuery } from './token-data.ts'
import { TokenTable } from './token-table.tsx'

export function TokensPage() {
  const [isAdding, setAdding] = useState(false)
  const [given, setGiven] = useState<GivenSecret>()
  const canWrite = useCanWrite()
  const show = (secret: GivenSecret) => {
    setAdding(false)
    setGiven(secret)
  }
  return (
    <SettingsLayout
      title="Tokens"
      actions={
        <Button look="primary" disabled={!canWrite} onClick={() => setAdding(true)}>
          <Plus size={15} aria-hidden />
          New token
        </Button>
      }
    >
      <Tokens onAdd={() => setAdding(true)} onGiven={show} />
      <NewToken open={isAdding} onOpenChange={setAdding} onGiven={show} />
      <SecretOnce
        secret={given?.secret}
        title={given?.is_new === false ? 'The new secret' : 'The token'}
        text={
          given?.is_new === false
            ? `${given.name} has a new secret. The old one no longer works.`
            : `${given?.name ?? ''} can be used from now on.`
        }
        onDone={() => setGiven(undefined)}
      />
    </SettingsLayout>
  )
}

interface TokensProps {
  readonly onAdd: () => void
  readonly onGiven: (given: GivenSecret) => void
}

function Tokens({ onAdd, onGiven }: TokensProps) {
  const { brand_id, isAdmin, name } = useBrand()
  const { person } = useMe()
  const { data, error, refetch } = useQuery(tokensQuery(brand_id))
  if (error && !data)
    return (
      <Frame>
        <ErrorState error={error} what="The tokens" onRetry={() => void refetch()} />
      </Frame>
    )
  if (!data)
    return (
      <Frame>
        <SkeletonRows rows={4} />
      </Frame>
    )
  if (data.length === 0)
    return (
      <Frame>
        <State
          icon={KeyRound}
          title="No tokens yet"
          action={
            <Button look="primary" onClick={onAdd}>
              Make a token
            </Button>
          }
          command="crewhall auth login"
        >
          A program or an agent calls the API with a token.
        </State>
      </Frame>
    )
  return (
    <div className="flex max-w-280 flex-col gap-6">
      <p className="text-ink-2">
        {isAdmin ? `All tokens of ${name} that work now.` : 'Your tokens that work now.'} Secrets are not
        kept, only their last four characters.
      </p>
      {groupsOf(data, person.id).map(([title, tokens]) => (
        <TokenTable key={title} title={title} tokens={tokens} onGiven={onGiven} />
      ))}
    </div>
  )
}

/** Those of agents and services together, whoever they work for: they are looked for by the agent. */
function groupsOf(tokens: readonly Token[], me: number) {
  const groups: readonly (readonly [string, readonly Token[]])[] = [
    ['Yours', tokens.filter(({ agent, person }) => agent === null && person.id === me)],
    ['Agents and services', tokens.filter(({ agent }) => agent !== null)],
    ['Other people', tokens.filter(({ agent, person }) => agent === null && person.id !== me)],
  ]
  return groups.filter(([, found]) => found.length > 0)
}
