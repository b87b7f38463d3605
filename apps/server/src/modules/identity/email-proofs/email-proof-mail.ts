interface To {
  readonly email: string
  readonly full_name: string
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim()

export function proofLetter(
  { email, full_name }: To,
  links: { readonly confirm: string; readonly reset: string },
  days: number,
) {
  const lines = [
    `Hello ${oneLine(full_name)},`,
    `an account was made with this e-mail address. Sign in to it, and confirm within ${days} days that the address is yours:`,
    links.confirm,
    `If you did not make this account, somebody else did. Do not confirm. To make it yours, choose a new password, which signs everybody else out: ${links.reset}`,
  ]
  const html = lines
    .map((line) =>
      line === links.confirm ? `<a href="${escaped(line)}">Confirm this address</a>` : escaped(line),
    )
    .map((line) => `<p>${line}</p>`)
    .join('')
  return { to: email, subject: 'Confirm your e-mail address', text: `${lines.join('\n\n')}\n`, html }
}
