import {
  AtSign,
  Bell,
  Bot,
  Building2,
  CircleUser,
  Gauge,
  Globe,
  KeyRound,
  Layers,
  type LucideIcon,
  Moon,
  ScrollText,
  Shield,
  Tags,
  UserPlus,
  Users,
  Webhook,
} from 'lucide-react'
import type { ComponentType } from 'react'
import { paths } from '../../app/paths.ts'
import { useMe } from '../../app/session.ts'
import { InvitationCount } from './people/invitation-count.tsx'

interface SettingsEntry {
  readonly label: string
  readonly to: string
  readonly icon: LucideIcon
  /** Right of the label, such as how many wait. */
  readonly count?: ComponentType
}

type Group = readonly [group: string, entries: readonly SettingsEntry[]]

/** The pages of settings that there are, in the order of their navigation. A new one adds one line. */
const settingsPages: readonly Group[] = [
  [
    'Workspace',
    [
      { label: 'Features', to: paths.features, icon: Layers },
      { label: 'Plan', to: paths.plan, icon: Tags },
      { label: 'Members', to: paths.members, icon: Users },
      { label: 'Guests', to: paths.guests, icon: Globe },
      { label: 'Invitations', to: paths.invitations, icon: UserPlus, count: InvitationCount },
      { label: 'Webhooks', to: paths.webhooks, icon: Webhook },
      { label: 'Audit', to: paths.audit, icon: ScrollText },
      { label: 'Usage', to: paths.usage, icon: Gauge },
      { label: 'Workspace', to: paths.workspace, icon: Building2 },
    ],
  ],
  [
    'You',
    [
      { label: 'Profile', to: paths.ownProfile, icon: CircleUser },
      { label: 'Mail address', to: paths.mail, icon: AtSign },
      { label: 'Tokens', to: paths.tokens, icon: KeyRound },
      { label: 'Notifications', to: paths.notifications, icon: Bell },
      { label: 'Appearance', to: paths.appearance, icon: Moon },
    ],
  ],
]

/** Of whoever runs this installation. */
const platformPages: Group = [
  'Installation',
  [
    { label: 'Workspaces', to: paths.platformBrands, icon: Building2 },
    { label: 'Plans', to: paths.platformPlans, icon: Tags },
    { label: 'Catalog', to: paths.platformCatalog, icon: Bot },
    { label: 'Platform admins', to: paths.platformStaff, icon: Shield },
    { label: 'Installation audit', to: paths.platformAudit, icon: ScrollText },
  ],
]

/** Those that the person has; the server decides about each again. */
export const useSettingsPages = (): readonly Group[] =>
  useMe().person.is_staff ? [...settingsPages, platformPages] : settingsPages
