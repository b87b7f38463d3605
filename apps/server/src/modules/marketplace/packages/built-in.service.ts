import type { SystemCtx } from '#platform/ctx/ctx.ts'
import type { BuiltInPackage } from './built-in.rules.ts'
import * as store from './packages.store.ts'

/** Safe to run at any time: what is there already stays. Versions of earlier servers stay as well. */
export const publishBuiltIns = (ctx: SystemCtx, packages: readonly BuiltInPackage[]): Promise<void> =>
  ctx.tx(async (ctx) => {
    for (const { key, title, description, publisher, versions } of packages) {
      await store.upsertBuiltIn(ctx, { key, title, description, publisher })
      for (const { version, touches, methods } of versions)
        await store.upsertBuiltInVersion(ctx, {
          package_key: key,
          version,
          touches: [...touches],
          methods: [...methods],
          url: null,
          credential: 'none',
        })
    }
  })
