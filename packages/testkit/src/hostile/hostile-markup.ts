/**
 * Texts that a page may take for markup: each sets `window.pwned` or leaves an `<x-pwned>` if it gets its way. None is
 * longer than a name may be. Nothing here is random.
 */
export const hostileMarkup: readonly string[] = [
  '<img src=x onerror="window.pwned=1">',
  '<script>window.pwned=1</script><x-pwned>',
  '"><svg onload=window.pwned=1><x-pwned>',
  `'-window.pwned=1-'<x-pwned/onclick=window.pwned=1>`,
  '<iframe srcdoc="<script>parent.pwned=1</script>">',
  '[x](javascript:window.pwned=1) <x-pwned>',
  '[x](JaVaScRiPt&colon;window.pwned=1)',
  '[x](data:text/html,<script>opener.pwned=1</script>)',
  '![x](x"onerror="window.pwned=1)<x-pwned>',
  '<javascript:window.pwned=1> <vbscript:x>',
  '`<x-pwned>` **<b onmouseover=window.pwned=1>x**',
  '| <x-pwned> |\n|---|\n| <img src=x onerror=pwned=1> |',
  '</title></textarea></style><x-pwned>',
  '<math><mtext><style><img src=x onerror=pwned=1>',
  '{{constructor.constructor("pwned=1")()}}<x-pwned>',
  '<a href="javascript:window.pwned=1">x</a>',
  '\u202e<x-pwned>\u202c<base href=//x.test/>',
  '<img src=x onerror=alert("pwned")>',
  '<form action=//x.test><button formaction=javascript:pwned=1>',
]
