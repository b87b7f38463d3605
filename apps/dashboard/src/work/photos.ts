import { queryOptions, useQuery } from '@tanstack/react-query'
import { meQuery } from '../app/session.ts'

const perPage = 100
/** Beyond that, people have their initials. */
const mostPages = 10

/** Addresses of the photos of those members who have one. Read after the page: the contract is no weight of the first load. */
const photosQuery = (brand_id: string) =>
  queryOptions({
    // Below the members, so that whoever joins or changes a photo reads it again.
    queryKey: ['members', brand_id, 'one', 'photos'],
    queryFn: async ({ signal }) => {
      const { membersApi } = await import('../app/members-api.ts')
      const photos: Record<string, string> = {}
      for (let page = 1; page <= mostPages; page += 1) {
        const query = { page: String(page), per_page: String(perPage) }
        const { members, total } = (
          await membersApi.reading(signal).workspaces.listMembers({ params: { brand_id }, query })
        ).body
        for (const { user_id, photo } of members) if (photo !== null) photos[user_id] = photo
        if (page * perPage >= total) break
      }
      return photos
    },
    staleTime: 300_000,
  })

/** Null for whoever has none, for agents, and for guests of a workspace, who may not list its members. */
export function usePhoto(who: { readonly kind: string; readonly id: string }): string | null {
  const { data: me } = useQuery(meQuery)
  const brand_id = me?.role == null || me.brand_id === null ? undefined : String(me.brand_id)
  const { data } = useQuery({
    ...photosQuery(brand_id ?? ''),
    enabled: brand_id !== undefined && who.kind === 'member',
    select: (photos) => photos[who.id] ?? null,
  })
  return who.kind === 'member' ? (data ?? null) : null
}
