/**
 * The token of a signed-in user (etcd: Role-based access control). etcd forgets a token that was not used for five
 * minutes (`--auth-token-ttl`), or with a restart; then the user signs in again. Without a login there is no token, nor
 * where access control is off: it may be switched on at any time, and the user signs in when etcd first asks for one.
 */
export interface Login {
  readonly user: string
  readonly password: string
}

/** `authenticate` resolves with undefined where access control is off. */
export function createAuthToken(login: Login | undefined, authenticate: (login: Login) => Promise<string | undefined>) {
  let token: Promise<string | undefined> | undefined
  return {
    /**
     * Signs in where there is no token. Callers at the same time share one request. Rejects with what it rejects with.
     */
    async metadata(): Promise<Readonly<Record<string, string>>> {
      if (login === undefined) return {}
      token ??= authenticate(login).catch((error: unknown) => {
        token = undefined
        throw error
      })
      const found = await token
      return found === undefined ? {} : { token: found }
    },
    /**
     * Whether a call that failed with this message may succeed with another token, which the next call fetches. `used` is
     * the token of the call; undefined where it had none.
     */
    async drop(message: string, used: string | undefined): Promise<boolean> {
      if (login === undefined || !(used === undefined ? ASKS_FOR_USER : REJECTS_TOKEN).test(message)) return false
      if (token !== undefined && (await token.catch(() => used)) === used) token = undefined
      return true
    },
  }
}

/** `invalid auth token`, and a token from before a change of users and roles. */
const REJECTS_TOKEN = /invalid auth token|revision of auth store is old/
/** With a client certificate, etcd takes its common name for the user. */
const ASKS_FOR_USER = /user name is empty|permission denied/
