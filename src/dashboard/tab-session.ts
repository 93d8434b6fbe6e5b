/**
 * The session that the tabs of a browser share.
 *
 * A token that is to stay is in the storage of the browser, where each tab finds it. One that is not is kept by each tab for
 * itself, and is gone with the last of them: a tab that is opened asks the others, which hand it over. A BroadcastChannel
 * (https://html.spec.whatwg.org/multipage/web-messaging.html#broadcasting-to-other-browsing-contexts) reaches pages of the
 * same origin in the same profile, and keeps nothing: no other origin, no page that has opened or framed one of ours. A script
 * that ran in a page of this origin could ask as well; it could also open a tab and read its token. The policy of the pages
 * keeps it from running in the first place.
 */
import { forgetToken, storedToken, storeToken, tokenIsKeptBy } from './browser-storage.ts'
import { apiUrl } from './api-url.ts'
import { after } from './timing.ts'

/** How long a tab waits for the others before it asks the reader to sign in. What comes later is taken as well. */
const ANSWER_MS = 250
const TOKEN_CHARS_MAX = 4_000

type Message =
  | { readonly kind: 'wanted' }
  /** The token of a session, for tabs without one. */
  | { readonly kind: 'token'; readonly token: string }
  /** The reader has signed out. */
  | { readonly kind: 'ended'; readonly token: string }

export interface SharedSessionHooks {
  /** Another tab has a session, which this one did not ask for. */
  readonly onToken: (token: string) => void
  /** The reader has signed out of this session in another tab; its token is forgotten already. */
  readonly onEnded: (token: string) => void
}

export function shareSession({ onToken, onEnded }: SharedSessionHooks) {
  const channel = new BroadcastChannel(`dateline.session ${apiUrl()}`)
  let onAnswer: ((token: string) => void) | undefined
  const tell = (message: Message): void => channel.postMessage(message)

  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const message = messageIn(data)
    if (message?.kind === 'wanted') {
      const token = tokenIsKeptBy() === 'tab' ? storedToken() : undefined
      if (token !== undefined) tell({ kind: 'token', token })
    } else if (message?.kind === 'token') (onAnswer ?? onToken)(message.token)
    else if (message?.kind === 'ended') {
      forgetToken(message.token)
      onEnded(message.token)
    }
  }

  return {
    /** Takes the session of another tab where this one has none. Resolves with the token that this tab has then. */
    async take(): Promise<string | undefined> {
      const own = storedToken()
      if (own !== undefined) return own
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      const stop = after(ANSWER_MS, () => resolve(undefined))
      onAnswer = resolve
      tell({ kind: 'wanted' })
      const token = await promise
      stop()
      onAnswer = undefined
      if (token !== undefined) storeToken(token, 'tab')
      return token
    },
    /** Hands a token to the tabs that have none. */
    give: (token: string): void => tell({ kind: 'token', token }),
    /** Signs the other tabs out. */
    end: (token: string): void => tell({ kind: 'ended', token }),
  }
}

/** What another version of the page, or another program of this origin, sends is passed over. */
function messageIn(data: unknown): Message | undefined {
  if (typeof data !== 'object' || data === null) return undefined
  const { kind, token } = data as Readonly<Record<string, unknown>>
  if (kind === 'wanted') return { kind }
  if (typeof token !== 'string' || token.length > TOKEN_CHARS_MAX) return undefined
  return kind === 'token' || kind === 'ended' ? { kind, token } : undefined
}
