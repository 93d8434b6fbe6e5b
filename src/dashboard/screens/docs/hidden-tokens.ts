/** Takes tokens out of what is shown: the reader's own, and those that replies to signing in contain. */

/** RFC 7519, section 3: three parts in base64url, the first of which begins with `{"`. */
const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g
export const HIDDEN = '(a token, which is not shown)'

export function withoutTokens(text: string, token: string | undefined): string {
  const rest = token === undefined || token === '' ? text : text.replaceAll(token, HIDDEN)
  return rest.replaceAll(TOKEN, HIDDEN)
}
