import { Bell, Layers, type LucideIcon, Moon } from 'lucide-react'
import type { ComponentType } from 'react'
import { paths } from '../../app/paths.ts'

export interface SettingsEntry {
  readonly label: string
  readonly to: string
  readonly icon: LucideIcon
  /** Right of the label, such as how many wait. */
  readonly count?: ComponentType
}

/** The pages of settings that there are, in the order of their navigation. A new one adds one line. */
export const settingsPages: readonly (readonly [group: string, entries: readonly SettingsEntry[]])[] = [
  ['Workspace', [{ label: 'Features', to: paths.features, icon: Layers }]],
  [
    'You',
    [
      { label: 'Notifications', to: paths.notifications, icon: Bell },
      { label: 'Appearance', to: paths.appearance, icon: Moon },
    ],
  ],
]
