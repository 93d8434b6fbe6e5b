/** Takes tokens out of what is shown: the one that is in use, and those that replies to signing in have in them. */

/** RFC 7519, section 3: three parts in base64url, the first of which begins with `{"`. */
const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g
export const HIDDEN = '(a token, which is not shown)'

export function withoutTokens(text: string, token: string | undefined): string {
  const rest = token === undefined || token === '' ? text : text.replaceAll(token, HIDDEN)
  return rest.replaceAll(TOKEN, HIDDEN)
}
