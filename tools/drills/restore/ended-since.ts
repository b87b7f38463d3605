import { expectThat } from '../expect-that.ts'
import type { DrillProduct } from './drill-product.ts'

/** What somebody holds at the restored moment and what was ended after it, one of each kind. */
export class EndedSince {
  readonly #product: DrillProduct
  #session = ''

  constructor(product: DrillProduct) {
    this.#product = product
  }

  async prepare(): Promise<void> {
    this.#session = await this.#product.signIn()
    const { token, session } = await this.#try()
    expectThat(token === 200 && session === 200, `before they ended: token ${token}, session ${session}`)
  }

  async end(): Promise<void> {
    const [revoked] = this.#product.tokens
    const headers = { cookie: this.#session }
    await this.#product.must(
      200,
      this.#product.asOwner(`${this.#product.brand}/tokens/${revoked?.id}`, { method: 'DELETE' }),
    )
    await this.#product.must(200, this.#product.get('/api/v1/auth/sign-out', { method: 'POST', headers }))
  }

  async expectDead(): Promise<string> {
    const dead = await this.#try()
    const alive = [(await this.#product.read(boards)).status, (await this.#product.asOwner(me)).status]
    expectThat(dead.token === 401 && dead.session === 401, `answered ${JSON.stringify(dead)}`)
    expectThat(alive.join() === '200,200', `what was kept was answered ${alive}`)
    return `${Object.keys(dead).join(', ')}; another token and session live`
  }

  async #try(): Promise<{ token: number; session: number }> {
    const [revoked] = this.#product.tokens
    const headers = { cookie: this.#session }
    return {
      token: (await this.#product.read(boards, revoked?.token)).status,
      session: (await this.#product.get(me, { headers })).status,
    }
  }
}

const boards = '/api/v1/board/boards'
const me = '/api/v1/me'
