import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'

/** In development Vite stands before the API, so that both have one origin, as in production. */
const api = process.env.DASHBOARD_API_URL ?? 'http://127.0.0.1:8401'

/** Text is shown in the right font at once: its file is asked for with the page, not when the style is known. */
const preloadFonts: Plugin = {
  name: 'preload-fonts',
  transformIndexHtml: {
    order: 'post',
    handler: (_, { bundle = {} }) =>
      Object.keys(bundle)
        .filter((file) => /geist(-mono)?-latin-wght-normal-.+\.woff2$/.test(file))
        .map((file) => ({
          tag: 'link',
          attrs: {
            rel: 'preload',
            as: 'font',
            type: 'font/woff2',
            href: `/dashboard/${file}`,
            crossorigin: '',
          },
          injectTo: 'head-prepend',
        })),
  },
}

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwind(), preloadFonts],
  server: {
    port: Number(process.env.DASHBOARD_PORT ?? 8400),
    strictPort: true,
    host: '127.0.0.1',
    proxy: { '^/(?!dashboard(/|$))': { target: api } },
  },
  build: {
    target: 'es2023',
    // No inlined fonts or pictures: the policy of the page allows none.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // Contracts that no page uses stay out, although each tells the others that it exists.
      treeshake: { moduleSideEffects: [{ test: /\/packages\/(contracts|client)\//, sideEffects: false }] },
    },
  },
})
