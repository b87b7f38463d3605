import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

export interface CrowdFacts {
  readonly port: number
  readonly asked: number
  /** The fewest checks that one of them had. */
  readonly least_asked: number
  /** Opened since it began. */
  readonly connections: number
}

/** Desks that answer from another process. */
export class Crowd {
  readonly #child: ChildProcess
  readonly port: number

  private constructor(child: ChildProcess, port: number) {
    this.#child = child
    this.port = port
  }

  static async start(name: string, size: number): Promise<Crowd> {
    const child = fork('bench/desks/crowd-process.ts', [name, String(size)])
    const [{ port }] = (await once(child, 'message')) as [CrowdFacts]
    return new Crowd(child, port)
  }

  facts(wanted: 'facts' | 'forget' = 'facts'): Promise<CrowdFacts> {
    this.#child.send(wanted)
    return once(this.#child, 'message').then(([facts]) => facts as CrowdFacts)
  }

  async stop(): Promise<void> {
    this.#child.disconnect()
    await once(this.#child, 'exit')
  }
}
