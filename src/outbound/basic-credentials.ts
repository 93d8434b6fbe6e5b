/** User and password of Basic authentication (RFC 7617). */

export interface Credentials {
  readonly user: string
  readonly password: string
}

/** The value of Authorization or Proxy-Authorization, in UTF-8. */
export function basicAuthorization({ user, password }: Credentials): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}

/** Those in a URL such as `https://user:password@host/`; undefined where it has no user. */
export function credentialsOf({ username, password }: URL): Credentials | undefined {
  return username === '' ? undefined : { user: decoded(username), password: decoded(password) }
}

/** A `%` that escapes nothing stands for itself. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
