/** The life of an account: sign-in by code, guests, conversion, access to the dashboard, deletion. */
import { describe, fail, type Failure } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import type { JsonObject } from '../base/json.ts'
import { ProblemFailure } from '../base/problem.ts'
import { parseEmail } from '../mail/address.ts'
import { hasDashboard, type Caller } from '../models/caller.ts'
import { guestEmail, guestsFull, isStandIn, LOCAL_ADMIN_EMAIL } from '../models/guest.ts'
import type { User } from '../models/user.ts'
import { anyCaller, SYSTEM, type Actor, type Visitor } from '../store/actor.ts'
import type { Codes } from './codes.ts'
import type { Invitations, InvitationWish } from './invitations.ts'
import { mergePreferences } from './merge-preferences.ts'
import { newAccount } from './new-account.ts'
import type { Session, Sessions } from './sessions.ts'
import type { NewAccount, SignedIn } from '../store/accounts/account-tables.ts'
import type { SessionRecord } from '../store/accounts/session-table.ts'
import type { Store } from '../store/store.ts'
import type { Writable } from '../store/writes/writer.ts'

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

export interface InvitedAccount {
  readonly email: string
  readonly appRole: User['appRole']
  readonly dashboardRole: User['dashboardRole']
  readonly displayName?: string | null | undefined
  /** The language that the settings of the account begin with; English without it. */
  readonly language?: string | undefined
  readonly wish: InvitationWish
  readonly now: number
}

/** What is not given is that of a guest. */
type GivenAccount = Partial<Pick<InvitedAccount, 'email' | 'appRole' | 'dashboardRole' | 'displayName' | 'language'>>

interface AccountsOptions {
  readonly store: Pick<Store, 'accounts'> & Writable
  readonly codes: Codes
  readonly sessions: Sessions
  readonly newId: NewId
  /** Called at each sign-in with what happened to the account. */
  readonly onSignIn: (how: SignedIn['how'] | 'guest') => void
  /** The hash of an e-mail address in the audit trail. */
  readonly emailHash: (email: string) => string
  readonly invitations: Invitations
  /** The record that the settings of a new account embed: that of a code, English without one. */
  readonly languageRecord: (code?: string) => JsonObject
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
  const { store, codes, sessions, newId, onSignIn, emailHash, invitations, languageRecord, defaultConfig } = options

  async function prepare(now: number, given: GivenAccount = {}): Promise<NewAccount> {
    const id = newId()
    const { email = guestEmail(id), appRole = 'standardUser', dashboardRole = 'none', displayName, language } = given
    return newAccount({ id, email, appRole, dashboardRole, displayName, now, language: languageRecord(language) })
  }

  function signedIn(user: JsonObject, session: SessionRecord): SignInResult {
    return { user: user as JsonObject & User, token: sessions.token(String(user['id']), session) }
  }

  return {
    ...createAdministrators(store, sessions, prepare),
    /** Sends a code. With `dashboard`, throws unauthorized or forbidden; networkError where the outbox is full. */
    async requestCode({ visitor, email, dashboard, languages, now }: CodeRequest): Promise<void> {
      const user = dashboard ? store.accounts.userByEmail(email) : undefined
      if (dashboard && (user === undefined || !hasDashboard(user as JsonObject & Caller))) {
        const value = user === undefined ? 'no user' : 'no-dashboard'
        const details = [{ name: 'outcome', value }]
        await store.as(visitor).record({ event: 'code.requested', emailHash: emailHash(email), details })
        throw noDashboard(user)
      }
      const own = store.accounts.languageOf(email)
      await codes.send({ email, languages: own === undefined ? languages : [own, ...languages] }, visitor, now)
    },
    /** Signs in with a code: finds, creates, converts or merges the account. */
    async verifyCode(request: SignInWithCode): Promise<SignInResult> {
      const { visitor, email, code, dashboard, client, session, now } = request
      const opened = sessions.open({ label: client, now })
      const outcome = await store.as(visitor).signIn({
        code: codes.claim({ email, code, clientAddress: visitor.origin.clientAddress, now }),
        dashboard,
        by: session?.claim,
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
    /** Signs in the user of an e-mail address that a trusted proxy has checked; makes the account where there is none. */
    async signInByProxy({ visitor, email, client, now }: Pick<SignInWithCode, 'visitor' | 'email' | 'client' | 'now'>): Promise<SignInResult> {
      const session = sessions.open({ label: client, now })
      const newAccount = await prepare(now, { email })
      const { how, user } = await store.as(visitor).signInTrusted({ email, newAccount, session, means: 'proxy' })
      onSignIn(how)
      return signedIn(user, session)
    },
    /** Makes the user of an e-mail address the first administrator. Throws forbidden where there is one. */
    async signInFirstAdmin({ visitor, email, client, now }: Pick<SignInWithCode, 'visitor' | 'email' | 'client' | 'now'>): Promise<SignInResult> {
      const session = sessions.open({ label: client, now })
      const newAccount = await prepare(now, { email, dashboardRole: 'admin' })
      const outcome = await store.as(visitor).signInFirstAdmin({ email, newAccount, session, means: 'setup' }, LOCAL_ADMIN_EMAIL)
      if (outcome === 'refused') throw fail('forbidden', 'There is an administrator already: sign in, or ask for an invitation')
      onSignIn(outcome.how)
      return signedIn(outcome.user, session)
    },
    async signInAnonymously({
      visitor,
      client,
      now,
    }: Pick<SignInWithCode, 'visitor' | 'client' | 'now'>): Promise<SignInResult> {
      const account = await prepare(now, { appRole: 'guestUser' })
      const session = sessions.open({ label: client, now })
      if ((await store.as(visitor).createAccount(account, session)) === 'full') throw guestsFull('Cannot sign in another guest')
      onSignIn('guest')
      return signedIn(account.user.value, session)
    },
    /** Deletes the account of the session and everything that belongs to it, the last administrator's too. */
    async deleteOwn({ caller, claim, acting }: Session, now: number): Promise<void> {
      const { jti, expiresAt } = claim
      const request = { id: caller.id, now, keepLastAdmin: false, token: { jti, expiresAt } }
      await store.as(acting(anyCaller)).deleteAccount(request)
    },
    /**
     * Creates an account for an invited user, with the mail that is wanted. Throws invalidInput, conflict for an e-mail
     * address in use and for a mail that cannot be sent, tooManyRequests, and networkError where the outbox is full.
     */
    async invite({ now, email: given, wish, ...account }: InvitedAccount, actor: Actor): Promise<JsonObject> {
      const email = readEmail(given)
      const prepared = await prepare(now, { ...account, email })
      const mail = invitations.mailTo({ email, dashboardRole: account.dashboardRole, wish, actor, now })
      const outcome = await store.as(actor).inviteAccount(prepared, mail)
      if (outcome === 'inserted') return prepared.user.value
      throw outcome === 'exists' ? emailTaken() : invitations.failureOf(outcome)
    },
    /** Sends the mail once more. Throws notFound, and what an invitation throws. */
    async inviteAgain({ id, email, dashboardRole }: User, { wish, now }: Pick<InvitedAccount, 'wish' | 'now'>, actor: Actor): Promise<void> {
      const mail = invitations.mailTo({ email, dashboardRole, wish: { ...wish, byMail: true }, actor, now })
      const outcome = mail === undefined ? 'missing' : await store.as(actor).inviteAgain(id, mail)
      if (outcome === 'missing') throw fail('notFound', `No user has the id ${describe(id)}`)
      if (outcome !== 'sent') throw invitations.failureOf(outcome)
    },
    /** Throws what an invitation to this e-mail address would throw, and creates nothing. */
    async checkInvitation(email: string): Promise<void> {
      if (store.accounts.userByEmail(readEmail(email)) !== undefined) throw emailTaken()
    },
  }
}

function createAdministrators(
  store: Pick<Store, 'accounts'> & Writable,
  sessions: Sessions,
  prepare: (now: number, given: GivenAccount) => Promise<NewAccount>,
) {
  async function ensureAdmin(email: string, now: number, actor: Actor): Promise<'created' | 'promoted' | 'unchanged'> {
    const account = await prepare(now, { email, dashboardRole: 'admin' })
    if ((await store.as(actor).createAccount(account)) === 'inserted') return 'created'
    const existing = store.accounts.userByEmail(email)
    if (existing?.['dashboardRole'] === 'admin') return 'unchanged'
    await store.as(actor).promote(email, now)
    return 'promoted'
  }

  return {
    /** Gives the e-mail address an account with the dashboard role `admin` where it has none. */
    ensureAdmin,
    /** Whether there is an administrator who can sign in. */
    hasAdministrator: (): boolean => store.accounts.hasAdmin(LOCAL_ADMIN_EMAIL),
    /** A token of an administrator for this run: of this e-mail address, else of an account that only tokens open. */
    async instanceToken(email: string = LOCAL_ADMIN_EMAIL, now: number): Promise<string> {
      await ensureAdmin(email, now, SYSTEM)
      const user = store.accounts.userByEmail(email)
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
