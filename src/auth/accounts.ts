/** The life of an account: sign-in by code, guests, conversion, access to the dashboard, deletion. */
import { fail, type Failure } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import { ProblemFailure } from '../base/problem.ts'
import { parseEmail } from '../mail/address.ts'
import { hasDashboard, type Caller } from '../models/caller.ts'
import type { User } from '../models/user.ts'
import { anyCaller, SYSTEM, type Actor, type Visitor } from '../store/actor.ts'
import type { AccountStore, NewAccount, SessionRecord, SignedIn, Writable } from '../store/store.ts'
import type { Codes } from './codes.ts'
import { mergePreferences } from './merge-preferences.ts'
import { guestEmail, isStandIn, LOCAL_ADMIN_EMAIL, newAccount } from './new-account.ts'
import type { Session, Sessions } from './sessions.ts'

export interface SignInResult {
  readonly user: User
  readonly token: string
}

interface CodeRequest {
  readonly visitor: Visitor
  readonly email: string
  readonly dashboard: boolean
  /** The languages of the request, most preferred first. That of the account goes before them. */
  readonly languages: readonly string[]
  readonly now: number
}

interface SignInWithCode {
  readonly visitor: Visitor
  readonly email: string
  readonly code: string
  readonly dashboard: boolean
  /** The name of the client, for the list of sessions. */
  readonly client: string
  /** The session of the request, where its token is valid. */
  readonly session: Session | undefined
  readonly now: number
}

export interface Invitation {
  readonly email: string
  readonly appRole: User['appRole']
  readonly dashboardRole: User['dashboardRole']
  readonly now: number
}

interface AccountsOptions {
  readonly store: AccountStore & Writable
  readonly codes: Codes
  readonly sessions: Sessions
  readonly newId: NewId
  /** Called at each sign-in with what happened to the account. */
  readonly onSignIn: (how: SignedIn['how'] | 'guest') => void
  /** The hash of an e-mail address in the audit trail. */
  readonly emailHash: (email: string) => string
  /** The record that the settings of a new account embed. */
  readonly defaultLanguage: () => JsonObject
  /** Sets the limits where an administrator has removed the remote configuration. */
  readonly defaultConfig: JsonObject
}

/** The normalised form of an e-mail address. Throws invalidInput for any other value; `member` is its name in the body. */
export function readEmail(value: unknown, member = 'email'): string {
  const email = typeof value === 'string' ? parseEmail(value) : undefined
  if (email === undefined) throw notEmail(member, 'expected an e-mail address such as name@example.org')
  if (isStandIn(email)) throw notEmail(member, 'this address is reserved for a guest or the service and gets no mail')
  return email
}

export type Accounts = ReturnType<typeof createAccounts>

export function createAccounts(options: AccountsOptions) {
  const { store, codes, sessions, newId, onSignIn, emailHash, defaultLanguage, defaultConfig } = options

  async function prepare(now: number, roles: Partial<Invitation> = {}): Promise<NewAccount> {
    const id = newId()
    const { email = guestEmail(id), appRole = 'standardUser', dashboardRole = 'none' } = roles
    return newAccount({ id, email, appRole, dashboardRole, now, language: defaultLanguage() })
  }

  function signedIn(user: JsonObject, session: SessionRecord): SignInResult {
    return { user: user as JsonObject & User, token: sessions.token(String(user['id']), session) }
  }

  return {
    ...createAdministrators(store, sessions, prepare),
    /** Sends a code. With `dashboard`, throws unauthorized or forbidden; networkError where the outbox is full. */
    async requestCode({ visitor, email, dashboard, languages, now }: CodeRequest): Promise<void> {
      const user = dashboard ? await store.userByEmail(email) : undefined
      if (dashboard && (user === undefined || !hasDashboard(user as JsonObject & Caller))) {
        const value = user === undefined ? 'no user' : 'no-dashboard'
        const details = [{ name: 'outcome', value }]
        await store.as(visitor).record({ event: 'code.requested', emailHash: emailHash(email), details })
        throw noDashboard(user)
      }
      const own = await store.languageOf(email)
      await codes.send({ email, languages: own === undefined ? languages : [own, ...languages] }, visitor, now)
    },
    /** Signs in with a code: finds, creates, converts or merges the account. */
    async verifyCode(request: SignInWithCode): Promise<SignInResult> {
      const { visitor, email, code, dashboard, client, session, now } = request
      const opened = sessions.open({ label: client, now })
      const outcome = await store.as(visitor).signIn({
        code: codes.claim({ email, code, clientAddress: visitor.origin.clientAddress, now }),
        dashboard,
        guest: session?.caller.appRole === 'guestUser' ? session.claim : undefined,
        session: opened,
        newAccount: await prepare(now, { email }),
        now,
        merge: (parts) => mergePreferences({ ...parts, config: parts.config ?? defaultConfig }, now),
      })
      if (outcome.kind === 'no-dashboard') throw noDashboard(outcome.user)
      if (outcome.kind !== 'signed-in') throw codes.failureOf(outcome)
      const { how, user } = outcome
      onSignIn(how)
      return signedIn(user, opened)
    },
    async signInAnonymously({
      visitor,
      client,
      now,
    }: Pick<SignInWithCode, 'visitor' | 'client' | 'now'>): Promise<SignInResult> {
      const account = await prepare(now, { appRole: 'guestUser' })
      const session = sessions.open({ label: client, now })
      await store.as(visitor).createAccount(account, session)
      onSignIn('guest')
      return signedIn(account.user.value, session)
    },
    /** Deletes the account of the session and everything that belongs to it, the last administrator's too. */
    async deleteOwn({ caller, claim, acting }: Session, now: number): Promise<void> {
      const { jti, expiresAt } = claim
      const request = { id: caller.id, now, keepLastAdmin: false, token: { jti, expiresAt } }
      await store.as(acting(anyCaller)).deleteAccount(request)
    },
    /** Creates an account for an invited user. Throws invalidInput, or conflict for an e-mail address in use. */
    async invite({ now, email, ...roles }: Invitation, actor: Actor): Promise<JsonObject> {
      const account = await prepare(now, { ...roles, email: readEmail(email) })
      if ((await store.as(actor).createAccount(account)) === 'inserted') return account.user.value
      throw emailTaken()
    },
    /** Throws what an invitation to this e-mail address would throw, and creates nothing. */
    async checkInvitation(email: string): Promise<void> {
      if ((await store.userByEmail(readEmail(email))) !== undefined) throw emailTaken()
    },
  }
}

function createAdministrators(
  store: AccountStore & Writable,
  sessions: Sessions,
  prepare: (now: number, roles: Partial<Invitation>) => Promise<NewAccount>,
) {
  async function ensureAdmin(email: string, now: number, actor: Actor): Promise<'created' | 'promoted' | 'unchanged'> {
    const account = await prepare(now, { email, dashboardRole: 'admin' })
    if ((await store.as(actor).createAccount(account)) === 'inserted') return 'created'
    const existing = await store.userByEmail(email)
    if (existing?.['dashboardRole'] === 'admin') return 'unchanged'
    await store.as(actor).promote(email, now)
    return 'promoted'
  }

  return {
    /** Gives the e-mail address an account with the dashboard role `admin` where it has none. */
    ensureAdmin,
    /** Whether there is an administrator who can sign in. */
    hasAdministrator: (): Promise<boolean> => store.hasAdmin(LOCAL_ADMIN_EMAIL),
    /** A token of an administrator for this run: of this e-mail address, else of an account that only tokens open. */
    async instanceToken(email: string = LOCAL_ADMIN_EMAIL, now: number): Promise<string> {
      await ensureAdmin(email, now, SYSTEM)
      const user = await store.userByEmail(email)
      return sessions.issueForRun(String(user?.['id']), { label: 'token file', now })
    },
  }
}

function notEmail(path: string, message: string): Failure {
  return new ProblemFailure({ path, code: 'notEmail', params: {}, message })
}

function emailTaken(): Failure {
  const message = 'a user with this e-mail address exists already'
  return new ProblemFailure({ path: 'email', code: 'duplicate', params: {}, message })
}

function noDashboard(user: JsonObject | undefined): Failure {
  if (user === undefined) return fail('unauthorized', 'No user of the dashboard has this e-mail address')
  return fail('forbidden', 'This user may not open the dashboard: an administrator can give the role of a publisher')
}
