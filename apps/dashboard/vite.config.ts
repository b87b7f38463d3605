import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

/** In development Vite stands before the API, so that both have one origin, as in production. */
const api = process.env.DASHBOARD_API_URL ?? 'http://127.0.0.1:8401'

export default defineConfig({
  base: '/dashboard/',
  plugins: [react(), tailwind()],
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
