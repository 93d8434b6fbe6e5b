/** The writes of accounts, codes and sessions, with their audit records, and the erasure of deleted accounts. */
import * as entries from '../audit/audit-entries.ts'
import { continueErasures, eraseUser } from '../audit/audit-table.ts'
import type { Writer } from '../store.ts'
import * as apiTokens from '../accounts/api-token-table.ts'
import * as accounts from '../accounts/account-tables.ts'
import * as codes from '../accounts/code-table.ts'
import { putInvitation, whyNotInvited } from '../accounts/invitation-mails.ts'
import * as guests from '../accounts/guest-table.ts'
import * as passkeys from '../accounts/passkey-table.ts'
import * as views from '../accounts/saved-view-table.ts'
import * as sessions from '../accounts/session-table.ts'
import type { ActorTransactions, WriterParts } from './actor-transactions.ts'

/** Makes the audit records of deleted accounts anonymous, and has what was deleted erased from the files. */
export function accountErasure({ database, checkpoints, trail }: WriterParts) {
  return {
    /** Starts within the transaction of the deletion; false where more steps are needed. */
    begin(userId: string, email?: string, pseudonym = trail.newPseudonym()): boolean {
      checkpoints.erase()
      const emailHashes = email === undefined ? [] : trail.emailHashes(email)
      return eraseUser(database, { userId, pseudonym, emailHashes })
    },
    /** Takes the next step of an erasure; false where there is none. */
    goOn(): boolean {
      const hasMore = continueErasures(database)
      if (hasMore) checkpoints.erase()
      return hasMore
    },
  }
}

export function accountWrites(
  { database, write }: ActorTransactions,
  { trail, queue }: WriterParts,
  erasure: ReturnType<typeof accountErasure>,
) {
  return {
    issueCode: (issue) =>
      write((_, record) => {
        const outcome = codes.issueCode(database, issue)
        record(entries.codeRequested(trail.emailHash(issue.email), outcome))
        return outcome
      }),
    createAccount: (account, session) =>
      write(({ guestRoom }, record) => {
        const isGuest = session !== undefined
        if (isGuest && guestRoom() <= 0) return 'full'
        const outcome = accounts.createAccount(database, account, session)
        if (isGuest) guests.seeGuest(database, account.user.id, session.createdAt)
        if (outcome === 'inserted') record(entries.accountCreated(account, session, trail.emailHash))
        return outcome
      }),
    inviteAccount: (account, mail) =>
      write((_, record) => {
        const unsent = mail && whyNotInvited(database, mail)
        if (unsent !== undefined) return unsent
        const outcome = accounts.createAccount(database, account)
        if (outcome === 'exists') return outcome
        if (mail !== undefined) putInvitation(database, mail)
        record(entries.userInvited(account, mail !== undefined, trail.emailHash))
        return outcome
      }),
    inviteAgain: (userId, mail) =>
      write((_, record) => {
        if (accounts.emailOf(database, userId) !== mail.email) return 'missing'
        const unsent = whyNotInvited(database, mail)
        if (unsent !== undefined) return unsent
        putInvitation(database, mail)
        record(entries.invitedAgain(userId, trail.emailHash(mail.email)))
        return 'sent'
      }),
    promote: (email, time) =>
      write((_, record) => {
        const before = accounts.userByEmail(database, email)
        const after = accounts.promote(database, email, time)
        if (before !== undefined && after !== undefined) entries.roleChanged(before, after).forEach(record)
        return after
      }),
    signIn: (request) =>
      write((_, record) => {
        const outcome = accounts.signIn(database, request)
        entries.signInEntries(request, outcome, trail.emailHash(request.code.email)).forEach(record)
        // The guest is deleted with the merge.
        if (outcome.kind === 'signed-in' && outcome.how === 'merged') erasure.begin(request.by?.userId ?? '')
        return outcome
      }),
    signInTrusted: (request) =>
      write((_, record) => {
        const outcome = accounts.signInTrusted(database, request)
        record(entries.signedInBy(outcome.user, request, trail.emailHash(request.email)))
        return outcome
      }),
    signInFirstAdmin: (request, except) =>
      write((_, record) => {
        const outcome = accounts.signInFirstAdmin(database, request, except)
        const emailHash = trail.emailHash(request.email)
        if (outcome === 'refused') record({ event: 'sign-in.failed', emailHash, details: [{ name: 'reason', value: 'setup' }] })
        else {
          record(entries.signedInBy(outcome.user, request, emailHash))
          entries.roleChanged(outcome.before ?? outcome.user, outcome.user).forEach(record)
        }
        return outcome
      }),
    async deleteAccount(request) {
      let isAnonymous = true
      const outcome = await write(({ caller }, record) => {
        isAnonymous = true
        const email = accounts.emailOf(database, request.id)
        const deleted = accounts.deleteAccount(database, request)
        if (deleted !== 'deleted') return deleted
        const pseudonym = trail.newPseudonym()
        record(entries.userDeleted(pseudonym, { isOwn: caller?.id === request.id }))
        isAnonymous = erasure.begin(request.id, email, pseudonym)
        return deleted
      })
      // A caller who deleted the own account may not write any more, so these steps are not in its name.
      while (!isAnonymous) isAnonymous = !(await queue.write(erasure.goOn))
      return outcome
    },
  } satisfies Partial<Writer>
}

export function sessionWrites({ database, write, writeUnsynced }: ActorTransactions) {
  return {
    revoke: (token) =>
      write(({ caller }, record) => {
        sessions.revoke(database, token)
        record(entries.sessionEnded(caller?.id ?? '', 'session', token.jti))
      }),
    useTicket: (ticket) => write(() => sessions.useTicket(database, ticket)),
    addSession: (userId, session) =>
      write((_, record) => {
        const outcome = sessions.addSession(database, userId, session)
        if (outcome === 'added') record(entries.tokenIssued(userId, session))
        return outcome
      }),
    replaceSession: (userId, old, session) =>
      write((_, record) => {
        const outcome = sessions.replaceSession(database, userId, old, session)
        if (outcome === 'added') record(entries.tokenRefreshed(userId, session))
        return outcome
      }),
    addApiToken: (hash, token) =>
      write((_, record) => {
        const outcome = apiTokens.addApiToken(database, hash, token)
        if (outcome === 'added') record(entries.apiTokenMade(token))
        return outcome
      }),
    revokeApiToken: (id) =>
      write((_, record) => {
        const revoked = apiTokens.revokeApiToken(database, id)
        if (revoked !== undefined) record(entries.apiTokenRevoked(revoked))
        return revoked !== undefined
      }),
    addPasskey: (addition) =>
      write((_, record) => {
        const outcome = passkeys.addPasskey(database, addition)
        record(outcome === 'added' ? entries.passkeyAdded(addition.passkey) : entries.passkeyRefused(addition.passkey, outcome))
        return outcome
      }),
    signInWithPasskey: (request) =>
      write((_, record) => {
        const outcome = passkeys.signInWithPasskey(database, request)
        record(entries.signedInWithPasskey(request, outcome))
        return outcome
      }),
    addView: (view) =>
      write((_, record) => {
        const outcome = views.addView(database, view)
        if (outcome === 'saved') record(entries.viewSaved(view))
        return outcome
      }),
    replaceView: (view) =>
      write((_, record) => {
        const outcome = views.replaceView(database, view)
        if (outcome === 'saved') record(entries.viewSaved(view))
        return outcome
      }),
    removeView: (userId, id) =>
      write((_, record) => {
        const removed = views.removeView(database, userId, id)
        if (removed !== undefined) record(entries.viewRemoved(removed))
        return removed !== undefined
      }),
    removePasskeys: (userId, id) =>
      write((_, record) => {
        const removed = passkeys.removePasskeys(database, userId, id)
        for (const passkey of removed) record(entries.passkeyRemoved(passkey))
        return removed.length
      }),
    // A request that only reads must not wait for a disk, and a later one stores again what a power cut took.
    useSession: (jti, time) => writeUnsynced(() => sessions.useSession(database, jti, time)),
    endSession: (userId, jti, time) =>
      write((_, record) => {
        const isEnded = sessions.endSession(database, userId, jti, time)
        if (isEnded) record(entries.sessionEnded(userId, 'session', jti))
        return isEnded
      }),
    endOtherSessions: (userId, kept, time) =>
      write((_, record) => {
        const ended = sessions.endOtherSessions(database, userId, kept, time)
        // Any user may repeat this, and each record is kept for months.
        if (ended > 0) record(entries.sessionEnded(userId, 'ended', String(ended)))
        return ended
      }),
    endSessions: (userId, time) =>
      write((_, record) => {
        const ended = sessions.endSessions(database, userId, time)
        record(entries.sessionEnded(userId, 'ended', String(ended)))
        return ended
      }),
  } satisfies Partial<Writer>
}
