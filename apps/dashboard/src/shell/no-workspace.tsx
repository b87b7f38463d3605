import { Building2 } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { State } from '../ui/states.tsx'
import { useSignOut } from './user-menu.tsx'

/** Signed in, and a member of nothing: somebody whose invitation was removed, or a guest. */
export function NoWorkspace() {
  const signOut = useSignOut()
  return (
    <main className="flex min-h-dvh">
      <State
        icon={Building2}
        title="You are in no workspace"
        action={
          <Button busy={signOut.isPending} onClick={() => signOut.mutate()}>
            Sign out
          </Button>
        }
      >
        Open the link of an invitation to join one.
      </State>
    </main>
  )
}
