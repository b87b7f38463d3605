import { json } from '@crewhall/testkit/people.ts'
import { waitFor } from '@crewhall/testkit/wait-for.ts'
import { expectThat } from '../expect-that.ts'
import { type DrillProduct, readLetters } from './drill-product.ts'

/** What lets somebody in who is not in yet: an invitation and the token of a desk, both ended after the restored moment. */
export class OffersSince {
  readonly #product: DrillProduct
  #invitation = { id: 0, token: '' }
  #desk = { workstation_id: '', pat: '' }

  constructor(product: DrillProduct) {
    this.#product = product
  }

  async prepare(): Promise<void> {
    const email = this.#product.newAddress('withdrawn')
    const invited = this.#ask(`${this.#product.brand}/invitations`, { email, role: 'member' })
    const { id } = await this.#product.must<{ id: number }>(201, invited)
    await waitFor(() => readLetters(email).length === 1, 60_000)
    const token = /\?token=([\w-]{43})/.exec(readLetters(email).join())?.[1] ?? ''
    this.#invitation = { id, token }
    this.#desk = await this.#product.must(201, this.#ask('/api/v1/workstations', { name: 'Drill' }))
    const { invitation, join } = await this.#try()
    // The answer to whoever has no account and gives no name.
    expectThat(invitation === 422 && join === 200, `before they ended: ${invitation}, ${join}`)
  }

  async end(): Promise<void> {
    const path = `${this.#product.brand}/invitations/${this.#invitation.id}`
    await this.#product.must(200, this.#product.asOwner(path, { method: 'DELETE' }))
    const again = `/api/v1/workstations/${this.#desk.workstation_id}/regenerate-pat`
    await this.#product.must(200, this.#product.asOwner(again, { method: 'POST' }))
  }

  async expectDead(): Promise<string> {
    const { invitation, join } = await this.#try()
    expectThat(
      invitation === 400 && join === 401,
      `the invitation was answered ${invitation}, the token ${join}`,
    )
    return 'an invitation that was withdrawn, a token of a desk that was replaced'
  }

  async #try(): Promise<{ invitation: number; join: number }> {
    const { token } = this.#invitation
    const headers = { authorization: `Bearer ${this.#desk.pat}` }
    const event = json({ stage: 'preflight', ok: true }, headers)
    return {
      invitation: (await this.#product.get('/api/v1/invitations/accept', json({ token }))).status,
      join: (await this.#product.get('/api/v1/desk-agent/install-events', event)).status,
    }
  }

  #ask = (path: string, body: object): Promise<Response> => this.#product.asOwner(path, json(body))
}
