/** A session is kept beside tokens, marked as what it is; no token begins like this. */
const mark = 'session:'

/** Nothing that could end a header or begin another cookie. */
const nameForm = /^[A-Za-z0-9_-]{1,100}$/
const valueForm = /^[A-Za-z0-9._~-]{10,500}$/

/** What is kept of a session; nothing if the service sent something that cannot be one. */
export const sessionOf = (cookie_name: string, value: string): string | undefined =>
  nameForm.test(cookie_name) && valueForm.test(value) ? `${mark}${cookie_name}=${value}` : undefined

export const isSession = (credential: string): boolean => credential.startsWith(mark)

export const headerOf = (credential: string): Record<string, string> =>
  isSession(credential)
    ? { cookie: credential.slice(mark.length) }
    : { authorization: `Bearer ${credential}` }
