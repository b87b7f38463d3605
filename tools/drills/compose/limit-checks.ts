import { waitFor } from '@crewhall/testkit/wait-for.ts'
import type { DrillCheck } from '../drill.ts'
import { expectThat } from '../expect-that.ts'
import type { Installation } from './installation.ts'

/** Takes memory until it is ended. */
const glutton = 'const all = []; for (;;) all.push(Buffer.alloc(50e6, 1))'
/** Prints how many of 200 processes it could start. */
const crowd = 'for (1..200) { $pid = fork // last; if (!$pid) { sleep 2; exit } $count++ } print $count'

/** Limits of the compose file, as Docker has taken them, and what they are for: one container cannot use up the machine. */
export async function checkLimits(installation: Installation, check: DrillCheck): Promise<void> {
  await check('each container has the limits of the compose file', async () => {
    const wanted = Object.entries(await installation.config())
    for (const [service, { deploy, cpu_shares }] of wanted) {
      const limits = deploy?.resources?.limits
      const name = await installation.nameOf(service)
      const fields = '{{.HostConfig.Memory}} {{.HostConfig.PidsLimit}} {{.HostConfig.CpuShares}}'
      const shown = (await installation.docker.docker('inspect', '--format', fields, name)).trim()
      const said = `${limits?.memory} ${limits?.pids} ${cpu_shares ?? 0}`
      expectThat(shown === said, `${service} has ${shown} instead of ${said}`)
    }
    return [true, `memory, processes and shares of ${wanted.length} containers`]
  })
  await check('who wants more memory than its container has is ended, and nobody else', async () => {
    const before = await installation.pidOf('worker-1')
    const said = await installation
      .exec('worker-1', '/usr/local/bin/node', '-e', glutton)
      .catch((error: Error) => error.message)
    expectThat(said.includes('ended with 137'), `it was not killed: ${said}`)
    await installation.settle(30_000)
    expectThat((await installation.pidOf('worker-1')) === before, 'the worker was started again')
    return [true, 'killed at 2 GB; the worker goes on']
  })
  await check(
    'who wants more processes than its container has gets none, and orphans are taken in',
    async () => {
      const count = Number(await installation.exec('redis', 'perl', '-e', crowd))
      expectThat(count > 10 && count < 64, `${count} processes were started`)
      expectThat((await installation.get('/api/v1/system/health')).status === 200, 'Redis does not answer')
      // What has ended and was taken in by nobody would count for ever.
      const left = () => installation.exec('redis', 'perl', '-e', crowd)
      await waitFor(async () => Number(await left().catch(() => 0)) >= count - 1, 30_000)
      return [true, `${count} of 200 were started, and as many again`]
    },
  )
}
