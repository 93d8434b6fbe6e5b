/** Calls of a service that the program runs, by its URL. */

const AUTH = '/api/v1/auth'

export function post(url: string, path: string, body: object, more: Readonly<Record<string, string>> = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...more }
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
}

export const get = (url: string, path: string, token: string): Promise<Response> =>
  fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } })

export const requestCode = (url: string, email: string): Promise<Response> => post(url, `${AUTH}/request-code`, { email })

export const verifyCode = (url: string, body: object): Promise<Response> => post(url, `${AUTH}/verify-code`, body)

export const me = (url: string, token: string): Promise<Response> => get(url, `${AUTH}/me`, token)

export async function guestToken(url: string): Promise<string> {
  const response = await fetch(`${url}${AUTH}/anonymous`, { method: 'POST' })
  return ((await response.json()) as { data: { token: string } }).data.token
}
