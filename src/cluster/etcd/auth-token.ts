/**
 * The token of a signed-in user (etcd: Role-based access control). etcd forgets a token that was not used for five
 * minutes (`--auth-token-ttl`), or with a restart; then the user signs in again. Without a login there is no token.
 */
export interface Login {
  readonly user: string
  readonly password: string
}

export function createAuthToken(login: Login | undefined, authenticate: (login: Login) => Promise<string>) {
  let token: Promise<string> | undefined
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
      return { token: await token }
    },
    /** Drops the token that etcd rejected; false where there is no login, or another call has dropped it. */
    async drop(rejected: string | undefined): Promise<boolean> {
      if (login === undefined || rejected === undefined) return false
      if (token !== undefined && (await token.catch(() => rejected)) === rejected) token = undefined
      return true
    },
  }
}

/** `invalid auth token`, and a token from before a change of users and roles. */
export function rejectsToken(message: string): boolean {
  return /invalid auth token|revision of auth store is old/.test(message)
}
