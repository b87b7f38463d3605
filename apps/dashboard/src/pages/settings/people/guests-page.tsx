import { useBrand } from '../../../app/session.ts'
import { SettingsLayout } from '../settings-layout.tsx'
import { GuestList } from './guest-list.tsx'

export function GuestsPage() {
  const { name } = useBrand()
  return (
    <SettingsLayout title="Guests">
      <p className="mb-4 text-ink-2">People from outside {name}. They see only what is listed.</p>
      <GuestList />
    </SettingsLayout>
  )
}
