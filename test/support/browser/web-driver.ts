/**
 * The wire of W3C WebDriver (https://www.w3.org/TR/webdriver2/): JSON over HTTP, one command at a time per session.
 *
 * What the standard does not have, the accessibility tree, emulation, evaluation that a page's content security policy
 * cannot refuse, goes through chromedriver's own command for the DevTools protocol.
 */

/** How long one command may take; loading a page is one. */
const COMMAND_MS_MAX = 60_000

/** What the driver refused, with the error code of the standard, such as `stale element reference`. */
export class WebDriverError extends Error {
  readonly code: string

  constructor(command: string, code: string, message: string) {
    super(`The browser refuses ${command}: ${code}: ${message.split('\n', 1)[0] ?? ''}`)
    this.name = 'WebDriverError'
    this.code = code
  }
}

export interface Session {
  /** Sends a command; the path is that below `/session/ID`. Throws a WebDriverError where it is refused. */
  send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>
  /** Sends a command of the DevTools protocol to the current window. */
  devTools(command: string, parameters?: object): Promise<Readonly<Record<string, unknown>>>
}

/** Opens a session: a browser with a profile of its own. */
export async function openSession(driver: string, capabilities: object): Promise<Session> {
  const created = await command(driver, 'POST', '/session', { capabilities: { alwaysMatch: capabilities } })
  const { sessionId } = created as { readonly sessionId: string }
  const send: Session['send'] = (method, path, body) => command(driver, method, `/session/${sessionId}${path}`, body)
  return {
    send,
    async devTools(cmd, params = {}) {
      return (await send('POST', '/goog/cdp/execute', { cmd, params })) as Record<string, unknown>
    },
  }
}

async function command(driver: string, method: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(driver + path, {
    method,
    signal: AbortSignal.timeout(COMMAND_MS_MAX),
    // A command by POST needs an object, even an empty one.
    ...(method === 'POST' ? { body: JSON.stringify(body ?? {}) } : {}),
  })
  const { value } = (await response.json()) as { readonly value: unknown }
  if (response.ok) return value
  const { error, message } = value as { readonly error: string; readonly message: string }
  const name = (body as { readonly cmd?: string } | undefined)?.cmd ?? path.replace(/^\/session\/\w+/, '')
  throw new WebDriverError(name, error, message)
}
