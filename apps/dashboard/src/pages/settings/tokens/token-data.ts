import * as tokens from '@crewhall/contracts/identity/tokens.ts'
import { routesIn } from '@crewhall/contracts/routes-in.ts'
import { queryOptions } from '@tanstack/react-query'
import { apiOf } from '../../../api/api.ts'
import { queries } from '../../../app/queries.ts'

export const tokensApi = apiOf({ identity: routesIn(tokens) })

export const tokensQuery = (brand_id: string) =>
  queryOptions({
    queryKey: ['tokens', brand_id],
    queryFn: async ({ signal }) =>
      (await tokensApi.reading(signal).identity.listTokens({ params: { brand_id } })).body.tokens,
    // No event tells of tokens: that would say who works when.
    refetchInterval: 30_000,
  })

export const readTokensAgain = () => void queries.invalidateQueries({ queryKey: ['tokens'] })

/** What a token was just given; held by the page until the person has stored it. */
export interface GivenSecret {
  readonly name: string
  readonly secret: string
  readonly is_new: boolean
}
