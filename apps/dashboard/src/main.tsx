import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createPortal } from 'react-dom'
import { createRoot } from 'react-dom/client'
import { Toaster } from 'sonner'
import { queries } from './app/queries.ts'
import { router } from './app/router.tsx'
import './styles/app.css'

const root = document.getElementById('root')
if (root)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        {/* Beside the root, which panels and dialogs cover as a whole: what they could not do is told above them. */}
        {createPortal(
          <Toaster position="bottom-right" visibleToasts={4} toastOptions={{ className: 'toast' }} />,
          document.body,
        )}
      </QueryClientProvider>
    </StrictMode>,
  )
