import { getMe } from '../identity/sessions.ts'
import type { Tool } from './tool.ts'

/** There for every caller, whatever was installed. */
const core = { toolset: 'default', package: 'core' } as const

export const whoami: Tool = {
  ...core,
  name: 'whoami',
  title: 'Who am I',
  description: 'Who you are here: person, agent, workspace, role, scopes, and when your credential expires.',
  actions: [{ name: 'get', route: getMe, summary: 'Get it' }],
}

export const help: Tool = {
  ...core,
  name: 'help',
  title: 'Help',
  description:
    'What tools and actions there are. With `tool` and `action`: the exact schema of its arguments and an example.',
  actions: [],
}
