import { routesIn } from '@crewhall/contracts/routes-in.ts'
import * as guests from '@crewhall/contracts/workspaces/guests.ts'
import * as invitations from '@crewhall/contracts/workspaces/invitations.ts'
import * as members from '@crewhall/contracts/workspaces/members.ts'
import * as photos from '@crewhall/contracts/workspaces/photos.ts'
import { infiniteQueryOptions, queryOptions, useMutation } from '@tanstack/react-query'
import { apiOf } from '../../../api/api.ts'
import { newAction } from '../../../api/own-fetch.ts'
import { queries } from '../../../app/queries.ts'
import { sayFailed } from '../../../ui/toast.tsx'

export const peopleApi = apiOf({ workspaces: routesIn(members, invitations, guests, photos) })

const perPage = 100
// The stream tells of those who join, and of nothing else that happens to people.
const refetchInterval = 15_000

/** Pages of a list that knows how many there are. */
const nextPage = (
  { total }: { readonly total: number },
  pages: readonly { readonly total: number }[],
): number | undefined => (pages.length * perPage < total ? pages.length + 1 : undefined)

export const membersQuery = (brand_id: string, q: string) =>
  infiniteQueryOptions({
    queryKey: ['members', brand_id, q],
    queryFn: async ({ signal, pageParam }) => {
      const query = { page: String(pageParam), per_page: String(perPage), ...(q === '' ? {} : { q }) }
      return (await peopleApi.reading(signal).workspaces.listMembers({ params: { brand_id }, query })).body
    },
    initialPageParam: 1,
    getNextPageParam: nextPage,
    refetchInterval,
  })

export const memberQuery = (brand_id: string, user_id: number) =>
  queryOptions({
    queryKey: ['members', brand_id, 'one', user_id],
    queryFn: async ({ signal }) =>
      (
        await peopleApi
          .reading(signal)
          .workspaces.getMember({ params: { brand_id, user_id: String(user_id) } })
      ).body,
  })

export const invitationsQuery = (brand_id: string) =>
  infiniteQueryOptions({
    queryKey: ['invitations', brand_id],
    queryFn: async ({ signal, pageParam }) => {
      const query = { page: String(pageParam), per_page: String(perPage) }
      return (await peopleApi.reading(signal).workspaces.listInvitations({ params: { brand_id }, query }))
        .body
    },
    initialPageParam: 1,
    getNextPageParam: nextPage,
    refetchInterval,
  })

export const guestsQuery = (brand_id: string) =>
  queryOptions({
    queryKey: ['guests', brand_id],
    queryFn: async ({ signal }) =>
      (await peopleApi.reading(signal).workspaces.listGuests({ params: { brand_id } })).body,
    refetchInterval,
  })

/** One thing done to one person: what it changed is read again, and a refusal is told. */
export function usePeopleAct<Input>(what: string, act: (input: Input, api: ActingApi) => Promise<unknown>) {
  return useMutation({
    mutationFn: (input: Input) => act(input, peopleApi.acting(newAction()).workspaces),
    onSettled: readPeopleAgain,
    onError: (error) => sayFailed(what, error),
  })
}
type ActingApi = ReturnType<typeof peopleApi.acting>['workspaces']

export const readPeopleAgain = () =>
  Promise.all(
    ['members', 'invitations', 'guests', 'me'].map((subject) =>
      queries.invalidateQueries({ queryKey: [subject] }),
    ),
  )
