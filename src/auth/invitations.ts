/**
 * Invitations by mail, of new publishers and administrators: readers sign in in the app, to which no address leads.
 *
 * The address in the mail is that of the setting, and the rest is text of the service: a mail can be made to say nothing
 * else. An administrator sends a hundred in an hour at most, and an e-mail address gets three in a day, however often its
 * account is deleted and made again.
 */
import { fail, type Failure } from '../base/failure.ts'
import type { NewId } from '../base/ids.ts'
import { DAY_MS } from '../base/duration.ts'
import type { User } from '../models/user.ts'
import type { Actor } from '../store/actor.ts'
import type { Keys } from './keys.ts'
import type { Limits } from './limits.ts'
import { sealMessage } from './sealed-message.ts'
import type { InvitationMail, UnsentInvitation } from '../store/accounts/invitation-mails.ts'

/** How long a mail server may be away. */
const LIFETIME_MS = 3 * DAY_MS
/** When the outbox is full. */
const FULL_RETRY_SECONDS = 60

/** What a request wants of the mail. */
export interface InvitationWish {
  /** Undefined leaves it to the setting. */
  readonly byMail: boolean | undefined
  /** Whether mails reach their readers; without a mail server they are printed in the log of the service. */
  readonly hasMail: boolean
  /** The address of the dashboard; undefined where none is set. */
  readonly url: string | undefined
  /** BCP 47 tags, the preferred one first. */
  readonly languages: readonly string[]
}

interface Invited extends Pick<User, 'email' | 'dashboardRole'> {
  readonly wish: InvitationWish
  readonly actor: Actor
  readonly now: number
}

interface InvitationsOptions {
  readonly keys: Pick<Keys, 'seal'>
  readonly limits: Pick<Limits, 'invitations' | 'tooManyInvitations'>
  readonly newId: NewId
  /** The e-mail address of a user. */
  readonly emailOf: (id: string) => string | undefined
}

export type Invitations = ReturnType<typeof createInvitations>

export function createInvitations({ keys, limits, newId, emailOf }: InvitationsOptions) {
  return {
    /** The mail of an invitation; undefined where none is wanted. Throws conflict where none can be sent. */
    mailTo({ email, dashboardRole, wish, actor, now }: Invited): InvitationMail | undefined {
      const { byMail, url, languages } = wish
      const problem = whyNoInvitation(dashboardRole, wish)
      if (byMail === true && problem !== undefined) throw fail('conflict', `Cannot invite by mail: ${problem}`)
      if (byMail === false || problem !== undefined || url === undefined) return undefined
      const by = actor.kind === 'caller' ? actor.claim.userId : actor.kind
      const inviter = actor.kind === 'caller' ? emailOf(by) : undefined
      const sealed = sealMessage(keys.seal, { kind: 'invitation', email, inviter, url, languages })
      const message = { id: newId(), sealed }
      return { email, message, now, expiresAt: now + LIFETIME_MS, rates: limits.invitations({ by, email }) }
    },
    failureOf: (unsent: UnsentInvitation): Failure => (unsent === 'full' ? outboxFull() : limits.tooManyInvitations(unsent)),
  }
}

/** Why no mail invites, with what to do about it; undefined where one can. */
export function whyNoInvitation(dashboardRole: User['dashboardRole'], { hasMail, url }: Pick<InvitationWish, 'hasMail' | 'url'>): string | undefined {
  if (dashboardRole === 'none') return 'expected the role publisher or administrator, found none: readers sign in in the app'
  if (!hasMail) return NO_MAIL
  return url === undefined ? 'no address of the dashboard is set: set invitationUrl' : undefined
}

const NO_MAIL =
  'mail is not set up: start the service with --mail, or set the mail server in the settings of the dashboard; until then, give ' +
  'users a code by "dateline user code", or by the button on their page'

function outboxFull(): Failure {
  return fail('networkError', 'No invitation can be sent now, too many messages wait for the mail server: try again later', {
    headers: { 'Retry-After': String(FULL_RETRY_SECONDS) },
  })
}
