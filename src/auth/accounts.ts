/** The life of an account: sign-in by code, guests, conversion, the dashboard's door, deletion. */
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

export interface Accounts {
  /**
   * Sends a code. With `dashboard`, throws unauthorized or forbidden where the dashboard is closed to the address; and
   * networkError where the outbox is full.
   */
  requestCode(request: CodeRequest): Promise<void>
  /** Signs in with a code: finds, creates, converts or merges the account. */
  verifyCode(request: CodeVerification): Promise<SignInResult>
  signInAnonymously(request: GuestRequest): Promise<SignInResult>
  /** Deletes the account of the session and everything that belongs to it, the last administrator's too. */
  deleteOwn(session: Session, now: number): Promise<void>
  /** Makes sure that the address has an account with the dashboard role `admin`; gives what had to be done. */
  ensureAdmin(email: string, now: number, actor: Actor): Promise<'created' | 'promoted' | 'unchanged'>
  /** Whether there is an administrator who can sign in. */
  hasAdministrator(): Promise<boolean>
  /** A token for this run of an administrator: of the one with this address, else of one that nobody else can use. */
  instanceToken(email: string | undefined, now: number): Promise<string>
  /** An account that an administrator makes for somebody else. Throws invalidInput, or conflict for a taken address. */
  invite(invitation: Invitation, actor: Actor): Promise<JsonObject>
  /** Throws what an invitation to this address would, and creates nothing. */
  checkInvitation(email: string): Promise<void>
}

export interface CodeRequest {
  readonly visitor: Visitor
  readonly email: string
  readonly dashboard: boolean
  /** The languages that the request asks for, most wanted first. That of the account's settings goes before them. */
  readonly languages: readonly string[]
  readonly now: number
}

export interface GuestRequest {
  readonly visitor: Visitor
  /** What the client calls itself, for the list of sessions. */
  readonly client: string
  readonly now: number
}

export interface CodeVerification {
  readonly visitor: Visitor
  readonly email: string
  readonly code: string
  readonly dashboard: boolean
  /** What the client calls itself, for the list of sessions. */
  readonly client: string
  /** Who asks, when the request carries a token that holds. */
  readonly session: Session | undefined
  readonly now: number
}

export interface Invitation {
  readonly email: string
  readonly appRole: User['appRole']
  readonly dashboardRole: User['dashboardRole']
  readonly now: number
}

export interface AccountsOptions {
  readonly store: AccountStore & Writable
  readonly codes: Codes
  readonly sessions: Sessions
  readonly newId: NewId
  /** Hears what became of the account at each sign-in. */
  readonly onSignIn: (how: SignedIn['how'] | 'guest') => void
  /** What stands for an address in the audit trail. */
  readonly emailHash: (email: string) => string
  /** The record that the settings of a new account embed. */
  readonly defaultLanguage: () => Promise<JsonObject>
  /** Sets the limits where an administrator has removed the remote configuration. */
  readonly defaultConfig: JsonObject
}

/** The normalised form of an address. Throws invalidInput where it is none; `member` is what the body calls it. */
export function readEmail(value: unknown, member = 'email'): string {
  const email = typeof value === 'string' ? parseEmail(value) : undefined
  if (email === undefined) throw notEmail(member, 'expected an e-mail address such as name@example.org')
  if (isStandIn(email)) throw notEmail(member, 'this address stands in for a guest or the service and gets no mail')
  return email
}

export function createAccounts({
  store,
  codes,
  sessions,
  newId,
  onSignIn,
  emailHash,
  defaultLanguage,
  defaultConfig,
}: AccountsOptions): Accounts {
  const prepare = async (now: number, roles: Partial<Invitation> = {}): Promise<NewAccount> => {
    const id = newId()
    const { email = guestEmail(id), appRole = 'standardUser', dashboardRole = 'none' } = roles
    return newAccount({ id, email, appRole, dashboardRole, now, language: await defaultLanguage() })
  }
  const reply = (user: JsonObject, session: SessionRecord): SignInResult => ({
    user: user as JsonObject & User,
    token: sessions.token(String(user['id']), session),
  })
  const ensureAdmin: Accounts['ensureAdmin'] = async (email, now, actor) => {
    const account = await prepare(now, { email, dashboardRole: 'admin' })
    if ((await store.as(actor).createAccount(account)) === 'inserted') return 'created'
    const existing = await store.userByEmail(email)
    if (existing?.['dashboardRole'] === 'admin') return 'unchanged'
    await store.as(actor).promote(email, now)
    return 'promoted'
  }
  return {
    async requestCode({ visitor, email, dashboard, languages, now }) {
      const user = dashboard ? await store.userByEmail(email) : undefined
      if (dashboard && (user === undefined || !hasDashboard(user as JsonObject & Caller))) {
        const value = user === undefined ? 'no user' : 'no-dashboard'
        const details = [{ name: 'outcome', value }]
        await store.as(visitor).record({ event: 'code.requested', emailHash: emailHash(email), details })
        throw dashboardClosed(user)
      }
      const own = await store.languageOf(email)
      await codes.send({ email, languages: own === undefined ? languages : [own, ...languages] }, visitor, now)
    },
    async verifyCode({ visitor, email, code, dashboard, client, session, now }) {
      const opened = sessions.open({ label: client, now })
      const outcome = await store.as(visitor).signIn({
        code: codes.claim({ email, code, clientAddress: visitor.origin.clientAddress, now }),
        dashboard,
        guest: session?.caller.appRole === 'guestUser' ? session.claim : undefined,
        session: opened,
        newcomer: await prepare(now, { email }),
        now,
        merge: (parts) => mergePreferences({ ...parts, config: parts.config ?? defaultConfig }, now),
      })
      if (outcome.kind === 'no-dashboard') throw dashboardClosed(outcome.user)
      if (outcome.kind !== 'signed-in') throw codes.refused(outcome)
      const { how, user } = outcome
      onSignIn(how)
      return reply(user, opened)
    },
    async signInAnonymously({ visitor, client, now }) {
      const account = await prepare(now, { appRole: 'guestUser' })
      const session = sessions.open({ label: client, now })
      await store.as(visitor).createAccount(account, session)
      onSignIn('guest')
      return reply(account.user.value, session)
    },
    async deleteOwn({ caller, claim, acting }, now) {
      const { jti, expiresAt } = claim
      const request = { id: caller.id, now, keepLastAdmin: false, token: { jti, expiresAt } }
      await store.as(acting(anyCaller)).deleteAccount(request)
    },
    ensureAdmin,
    hasAdministrator: () => store.hasAdmin(LOCAL_ADMIN_EMAIL),
    async instanceToken(email = LOCAL_ADMIN_EMAIL, now) {
      await ensureAdmin(email, now, SYSTEM)
      const user = await store.userByEmail(email)
      return sessions.issueForRun(String(user?.['id']), { label: 'token file', now })
    },
    async invite({ now, email, ...roles }, actor) {
      const account = await prepare(now, { ...roles, email: readEmail(email) })
      if ((await store.as(actor).createAccount(account)) === 'inserted') return account.user.value
      throw emailTaken()
    },
    async checkInvitation(email) {
      if ((await store.userByEmail(readEmail(email))) !== undefined) throw emailTaken()
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

/** The failure for an address without a user, and for a user without a dashboard role. */
function dashboardClosed(user: JsonObject | undefined): Failure {
  if (user === undefined) return fail('unauthorized', 'No user of the dashboard has this e-mail address')
  return fail('forbidden', 'This user may not open the dashboard: an administrator can give the role of a publisher')
}
