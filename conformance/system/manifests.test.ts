import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { loadAll } from 'js-yaml'
import { expect, onTestFinished, test } from 'vitest'

const production = resolve(import.meta.dirname, '../../deploy/production')
const has = (program: string): boolean => spawnSync(program, ['--help']).status === 0
const settings = readFileSync(resolve(import.meta.dirname, '../../.env.example'), 'utf8')
const known = new Set([...settings.matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name]) => name))
const isSetting = (name: string): boolean => known.has(name) || known.has(name.replace(/_FILE$/, ''))

interface Labels {
  readonly [name: string]: string
}
interface Container {
  readonly name: string
  readonly env?: readonly { readonly name: string }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly securityContext: unknown
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number }
}
interface Manifest {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly data?: Readonly<Record<string, string>>
  readonly spec: {
    readonly replicas?: number
    readonly maxUnavailable?: number
    readonly selector?: { readonly matchLabels?: Labels }
    readonly podSelector?: { readonly matchLabels?: Labels }
    readonly ports?: readonly { readonly targetPort: string }[]
    readonly ingress?: readonly unknown[]
    readonly template: {
      readonly metadata: { readonly labels: Labels }
      readonly spec: {
        readonly terminationGracePeriodSeconds?: number
        readonly containers: readonly Container[]
        readonly volumes: readonly { readonly name: string }[]
      }
    }
  }
}

function render(): Manifest[] {
  const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', join(production, 'kubernetes')], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([0, ''])
  return loadAll(stdout) as Manifest[]
}

test.runIf(has('kubectl'))(
  'Kubernetes (needs kubectl): each deployment has probes, a budget and no rights',
  () => {
    const all = render()
    const of = (kind: string) => all.filter((each) => each.kind === kind)
    expect(
      of('Deployment')
        .map(({ metadata }) => metadata.name)
        .sort(),
    ).toEqual(['api', 'worker'])
    for (const { kind, metadata, spec } of [...of('Deployment'), ...of('Job')]) {
      const labels = spec.template.metadata.labels
      for (const container of spec.template.spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        for (const { name } of container.env ?? []) expect([name, isSetting(name)]).toEqual([name, true])
        if (kind === 'Job') continue
        const inside = container.ports?.find(({ name }) => name === 'inside')?.containerPort
        expect(container.livenessProbe?.httpGet).toEqual({ path: '/live', port: inside })
        expect(container.readinessProbe?.httpGet).toEqual({ path: '/ready', port: inside })
      }
      if (kind === 'Job') continue
      expect(spec.replicas).toBe(2)
      expect(spec.selector?.matchLabels).toMatchObject(labels['app.kubernetes.io/name'] ? {} : { never: '' })
      const budget = of('PodDisruptionBudget').find((each) => each.metadata.name === metadata.name)
      expect(budget?.spec.maxUnavailable).toBe(1)
      expect(labels).toMatchObject(budget?.spec.selector?.matchLabels ?? { none: '' })
      expect(labels).toMatchObject(spec.selector?.matchLabels ?? { none: '' })
    }
  },
)

test.runIf(has('kubectl'))(
  'Kubernetes (needs kubectl): nothing comes in unless a policy names it, and time to stop exceeds the drain',
  () => {
    const all = render()
    const config = all.find(({ kind }) => kind === 'ConfigMap')?.data ?? {}
    const unknown = Object.keys(config).filter((name) => !isSetting(name))
    expect(unknown).toEqual([])
    const drainMs = Number(config.HTTP_DRAIN_DELAY_MS) + Number(config.HTTP_DRAIN_MS)
    const api = all.find(({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'api')
    expect((api?.spec.template.spec.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThan(drainMs)
    const policies = all.filter(({ kind }) => kind === 'NetworkPolicy')
    const closed = policies.find(({ spec }) => spec.ingress?.length === 0)
    expect(closed?.spec.podSelector).toEqual({})
    const service = all.find(({ kind }) => kind === 'Service')
    expect(service?.spec.ports?.map(({ targetPort }) => targetPort)).toEqual(['http'])
  },
)

test.runIf(has('systemd-analyze'))(
  'systemd (needs systemd-analyze): the units are valid, and every credential they name is a secret that is loaded',
  () => {
    const home = mkdtempSync(join(tmpdir(), 'crewhall-units-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    const folder = join(home, 'etc/systemd/system')
    mkdirSync(folder, { recursive: true })
    cpSync(join(production, 'systemd'), folder, { recursive: true })
    const units = readdirSync(folder)
    expect(units.length).toBe(5)
    for (const unit of units) {
      const { stdout, stderr } = spawnSync(
        'systemd-analyze',
        ['verify', '--man=no', join(folder, unit.replace('@', '@1'))],
        { encoding: 'utf8' },
      )
      // The product is not installed on the machine that runs the tests.
      const faults = `${stdout}${stderr}`
        .split('\n')
        .filter((line) => line && !line.includes('/opt/crewhall/node_modules/.bin/node is not executable'))
      expect([unit, faults]).toEqual([unit, []])
      const text = readFileSync(join(folder, unit), 'utf8')
      const loaded = [...text.matchAll(/^LoadCredential=(\w+):\/etc\/crewhall\/secrets\/(\w+)$/gm)]
      for (const [, name, file] of loaded) expect(name).toBe(file)
      const named = [...text.matchAll(/([A-Z0-9_]+)_FILE=%d\/(\w+)/g)]
      expect(named.map(([, , file]) => file).sort()).toEqual(loaded.map(([, name]) => name).sort())
      for (const [, setting = '', file] of named)
        expect([file, isSetting(setting)]).toEqual([setting.toLowerCase(), true])
    }
    // What verify says of a unit that is wrong, so that its silence means something.
    writeFileSync(join(folder, 'wrong.service'), '[Service]\nExecStart=relative\nNoSuchThing=yes\n')
    const wrong = spawnSync('systemd-analyze', ['verify', '--man=no', join(folder, 'wrong.service')], {
      encoding: 'utf8',
    })
    expect(wrong.stderr).toContain('NoSuchThing')
  },
)
