// In the head and blocking, so that the first paint has the right colours. The same rule is in src/app/theme.ts.
let theme = localStorage.getItem('crewhall.theme')
if (theme !== 'light' && theme !== 'dark')
  theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
document.documentElement.dataset.theme = theme
