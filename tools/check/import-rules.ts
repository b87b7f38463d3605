// The tables of ARCHITECTURE.md as data: where a file stands, and what a file standing there may import.

export const moduleOrder = [
  'system',
  'identity',
  'workspaces',
  'inbox',
  'mailboxes',
  'profiles',
  'boards',
  'webhooks',
  'docs-spaces',
  'code-index',
  'memory',
  'conversations',
  'lessons',
  'fleet',
  'marketplace',
  'gateway',
  'hires',
]

export const roles = ['routes', 'service', 'store', 'present', 'rules', 'jobs', 'ports', 'module']

export const forbiddenNames = ['util', 'utils', 'helper', 'helpers', 'common', 'types', 'index']

// First match wins. `$1` is the first group of the pattern.
export const zones: readonly (readonly [RegExp, string])[] = [
  [/^[^/]+\.ts$/, 'settings'],
  [/^(?:apps|packages)\/[^/]+\/[^/]+\.config\.ts$/, 'settings'],
  [/^packages\/(contracts|client|services|testkit)\//, '$1'],
  [/^apps\/(dashboard|cli|sidecar|mcp)\//, '$1'],
  [/^apps\/server\/test\//, 'server-test'],
  // What stands in a folder of platform/http is behind its face: modules reach only the files on top.
  [/^apps\/server\/src\/platform\/http\/[^/]+\//, 'inside/http'],
  [/^apps\/server\/src\/platform\/([^/]+)/, 'platform/$1'],
  [/^apps\/server\/src\/modules\/[^/]+\//, 'module'],
  [/^apps\/server\/src\/config\.ts$/, 'config'],
  [/^apps\/server\/src\/[^/]+\.ts$/, 'root'],
  [/^apps\/server\/package\.json$/, 'manifest'],
  [/^(tools|bench|conformance|e2e)\//, '$1'],
]

// `type` lists what `import type` may reach beyond `value`. `never` wins over both.
export type ImportRule = {
  value: readonly string[]
  type?: readonly string[]
  never?: readonly string[]
}

const drivers = ['fastify', '@fastify/*', 'redis', '@redis/*', 'ioredis', 'pg', 'pg-*', 'postgres']
const neverInDomain = [...drivers, 'node:process'].map((name) => `lib:${name}`)
const app = ['lib:*', 'client', 'contracts']
const testCode = [
  'lib:*',
  'services',
  'testkit',
  'contracts',
  'client',
  'platform/*',
  'inside/*',
  'tools*',
  'settings',
]

export const importRules: Readonly<Record<string, ImportRule>> = {
  contracts: { value: ['lib:zod', 'contracts'] },
  client: { value: ['contracts', 'client'] },
  dashboard: { value: [...app, 'dashboard'] },
  cli: { value: [...app, 'cli'] },
  sidecar: { value: [...app, 'sidecar'] },
  mcp: { value: [...app, 'mcp'] },
  services: { value: ['lib:*', 'services'] },
  testkit: { value: ['lib:*', 'contracts', 'client', 'testkit', 'services'] },
  settings: { value: ['lib:*', 'settings', 'testkit', 'tools*'] },

  platform: { value: ['lib:*', 'contracts', 'platform/*', 'inside/*'], type: ['config'] },
  config: { value: ['lib:*', 'contracts', 'platform/*', 'root'] },
  root: {
    value: ['lib:*', 'contracts', 'platform/*', 'inside/*', 'module-entry', 'config', 'root', 'manifest'],
    type: ['door'],
  },

  // Contracts are pure data, so a rule may use their constants and still know no clock and no database.
  'module:rules': { value: ['contracts', 'own:rules'] },
  // A store turns a named constraint into a refusal, and refusals are constants of contracts.
  'module:store': {
    value: ['platform/db*', 'own:store', 'contracts'],
    type: ['platform/*', 'own:rules'],
  },
  // Of the platform a service knows types, and the one error it throws when something outside is away.
  'module:service': {
    value: [
      'lib:*',
      'contracts',
      'door',
      'platform/outage*',
      ...own('rules', 'store', 'present', 'service', 'ports', 'noun'),
    ],
    type: ['platform/*'],
    never: neverInDomain,
  },
  'module:routes': {
    value: ['contracts', 'platform/http*', ...own('service', 'routes')],
    type: ['platform/*', 'own:ports'],
  },
  'module:jobs': {
    value: ['contracts', 'platform/jobs*', ...own('service', 'jobs')],
    type: ['platform/*', 'own:ports'],
  },
  'module:present': {
    value: ['lib:*', 'contracts', ...own('rules', 'present', 'noun')],
    type: ['platform/*', 'own:store'],
    never: neverInDomain,
  },
  'module:noun': {
    value: ['lib:*', 'contracts', 'platform/letter*', ...own('rules', 'noun')],
    type: ['platform/*', 'own:ports'],
    never: neverInDomain,
  },
  'module:ports': {
    value: ['own:ports', 'platform/modules*'],
    type: ['contracts', 'platform/*', 'door', 'own:rules'],
  },
  'module:public': { value: ['own:service', 'own:ports'], type: ['contracts', 'platform/*', 'own:*'] },
  'module:module': { value: ['lib:*', 'contracts', 'platform/*', 'door', 'own:*'], type: ['config'] },

  'server-test': { value: [...testCode, 'server-test', 'root', 'config', 'door', 'module-entry'] },
  tools: { value: [...testCode, 'root', 'config', 'cli'] },
  bench: { value: [...testCode, 'bench', 'root', 'config', 'store'] },
  conformance: { value: [...testCode, 'conformance', 'server-test'] },
  e2e: { value: [...testCode, 'e2e', 'conformance'] },

  // Files named *.test.ts, beside what they prove.
  'server:test': {
    value: [...testCode, 'own:*', 'door', 'root', 'config', 'module-entry', 'server-test'],
  },
  'workspace:test': { value: ['lib:*', 'contracts', 'client', 'testkit', 'own-workspace'] },
}

function own(...names: string[]): string[] {
  return names.map((name) => `own:${name}`)
}

const settingsFile = /(^|\/)vite(st)?\.[\w.-]*ts$/
export const mayReadEnv = (path: string): boolean =>
  path === 'apps/server/src/config.ts' ||
  path === 'apps/sidecar/src/settings.ts' ||
  path === 'apps/cli/src/environment.ts' ||
  /^(tools|bench|conformance|e2e|packages\/services|packages\/testkit|apps\/server\/test)\//.test(path) ||
  settingsFile.test(path)

export const mayReadClock = (path: string): boolean =>
  !path.startsWith('apps/server/src/') || path.startsWith('apps/server/src/platform/clock/')
