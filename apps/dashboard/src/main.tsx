import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import './styles/app.css'

const root = document.getElementById('root')
if (root) createRoot(root).render(<StrictMode>Crewhall</StrictMode>)
