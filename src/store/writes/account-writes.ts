/** The writes of accounts, codes and sessions, with their audit records, and the erasure of deleted accounts. */
import * as accounts from '../accounts/account-tables.ts'
import * as apiTokens from '../accounts/api-token-table.ts'
import * as codes from '../accounts/code-table.ts'
import * as guests from '../accounts/guest-table.ts'
import { putInvitation, whyNotInvited, type InvitationMail } from '../accounts/invitation-mails.ts'
import * as passkeys from '../accounts/passkey-table.ts'
import * as views from '../accounts/saved-view-table.ts'
import * as sessions from '../accounts/session-table.ts'
import type { Token } from '../actor.ts'
import * as entries from '../audit/audit-entries.ts'
import { continueErasures, eraseUser } from '../audit/audit-retention.ts'
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
    /**
     * Replaces any earlier code of the email, and the message that carried it. 'full' where the outbox is: then nothing
     * changes, and an earlier code stays valid.
     */
    issueCode: (issue: codes.CodeIssue) =>
      write((_, record) => {
        const outcome = codes.issueCode(database, issue)
        record(entries.codeRequested(trail.emailHash(issue.email), outcome))
        return outcome
      }),
    /**
     * Creates a user with settings, preferences and, where one is given, a session; 'exists' for a taken email, 'full' for a
     * guest where guests may keep no more.
     */
    createAccount: (account: accounts.NewAccount, session?: sessions.SessionRecord) =>
      write((view, record) => {
        const isGuest = session !== undefined
        if (isGuest && view.roomOf('guestUser') <= 0) return 'full'
        const outcome = accounts.createAccount(database, account, session)
        if (isGuest) guests.seeGuest(database, account.user.id, session.createdAt)
        if (outcome === 'inserted') record(entries.accountCreated(account, session, trail.emailHash))
        return outcome
      }),
    /** Creates a user, and adds the mail that invites it to the outbox; nothing changes where that is not possible. */
    inviteAccount: (account: accounts.NewAccount, mail: InvitationMail | undefined) =>
      write((_, record) => {
        const unsent = mail && whyNotInvited(database, mail)
        if (unsent !== undefined) return unsent
        const outcome = accounts.createAccount(database, account)
        if (outcome === 'exists') return outcome
        if (mail !== undefined) putInvitation(database, mail)
        record(entries.userInvited(account, mail !== undefined, trail.emailHash))
        return outcome
      }),
    /** Adds another mail that invites a user; 'missing' where there is none of that id and email. */
    inviteAgain: (userId: string, mail: InvitationMail) =>
      write((_, record) => {
        if (accounts.emailOf(database, userId) !== mail.email) return 'missing'
        const unsent = whyNotInvited(database, mail)
        if (unsent !== undefined) return unsent
        putInvitation(database, mail)
        record(entries.invitedAgain(userId, trail.emailHash(mail.email)))
        return 'sent'
      }),
    /** Makes an existing user an administrator; undefined where there is none. */
    promote: (email: string, time: number) =>
      write((_, record) => {
        const before = accounts.userByEmail(database, email)
        const after = accounts.promote(database, email, time)
        if (before !== undefined && after !== undefined) entries.roleChanged(before, after).forEach(record)
        return after
      }),
    /**
     * Consumes the code, so that of two requests with the right one only one succeeds; then finds, creates, converts or
     * merges the account, and adds missing settings and preferences.
     */
    signIn: (request: accounts.SignIn) =>
      write((_, record) => {
        const outcome = accounts.signIn(database, request)
        entries.signInEntries(request, outcome, trail.emailHash(request.code.email)).forEach(record)
        // The guest is deleted with the merge.
        if (outcome.kind === 'signed-in' && outcome.how === 'merged') erasure.begin(request.by?.userId ?? '')
        return outcome
      }),
    /** Signs in the user of an email that was checked elsewhere, and makes the account where there is none. */
    signInTrusted: (request: accounts.TrustedSignIn) =>
      write((_, record) => {
        const outcome = accounts.signInTrusted(database, request)
        record(entries.signedInBy(outcome.user, request, trail.emailHash(request.email)))
        return outcome
      }),
    /** The same, and makes the user an administrator; 'refused' where there is one besides the user of one email. */
    signInFirstAdmin: (request: accounts.TrustedSignIn, except: string) =>
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
    /** Deletes a user and all its data permanently: the content is overwritten in the file. */
    async deleteAccount(request: accounts.AccountDeletion) {
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
  }
}

export function sessionWrites({ database, write, writeUnsynced }: ActorTransactions) {
  return {
    revoke: (token: Token & { readonly now: number }) =>
      write(({ caller }, record) => {
        sessions.revoke(database, token)
        record(entries.sessionEnded(caller?.id ?? '', 'session', token.jti))
      }),
    /** Stores that a ticket was used; false where it was used before. */
    useTicket: (ticket: Token & { readonly now: number }) => write(() => sessions.useTicket(database, ticket)),
    /** Adds a session of a user; 'missing' where the user is gone. */
    addSession: (userId: string, session: sessions.SessionRecord) =>
      write((_, record) => {
        const outcome = sessions.addSession(database, userId, session)
        if (outcome === 'added') record(entries.tokenIssued(userId, session))
        return outcome
      }),
    /** Ends a token of a user and adds the session that takes its place, with its label; 'missing' where the user is gone. */
    replaceSession: (userId: string, old: sessions.EndedToken, session: sessions.SessionRecord) =>
      write((_, record) => {
        const outcome = sessions.replaceSession(database, userId, old, session)
        if (outcome === 'added') record(entries.tokenRefreshed(userId, session))
        return outcome
      }),
    /** Adds a token of the API by its hash; 'missing' where its user is gone, 'full' where there are a thousand. */
    addApiToken: (hash: string, token: apiTokens.ApiTokenRecord) =>
      write((_, record) => {
        const outcome = apiTokens.addApiToken(database, hash, token)
        if (outcome === 'added') record(entries.apiTokenMade(token))
        return outcome
      }),
    /** Revokes a token of the API; false where there is none with that id. */
    revokeApiToken: (id: string) =>
      write((_, record) => {
        const revoked = apiTokens.revokeApiToken(database, id)
        if (revoked !== undefined) record(entries.apiTokenRevoked(revoked))
        return revoked !== undefined
      }),
    /** Consumes the code and the challenge, and adds a passkey. */
    addPasskey: (addition: passkeys.PasskeyAddition) =>
      write((_, record) => {
        const outcome = passkeys.addPasskey(database, addition)
        record(outcome === 'added' ? entries.passkeyAdded(addition.passkey) : entries.passkeyRefused(addition.passkey, outcome))
        return outcome
      }),
    /** Adds a session for a user with a dashboard role, whose passkey was checked and is still as it was then. */
    signInWithPasskey: (request: passkeys.PasskeySignIn) =>
      write((_, record) => {
        const outcome = passkeys.signInWithPasskey(database, request)
        record(entries.signedInWithPasskey(request, outcome))
        return outcome
      }),
    /** 'full' where the user has as many as there may be, 'missing' where the user is gone. */
    addView: (view: views.SavedView) =>
      write((_, record) => {
        const outcome = views.addView(database, view)
        if (outcome === 'saved') record(entries.viewSaved(view))
        return outcome
      }),
    /** 'missing' where the user has none with this id, whatever other users have. */
    replaceView: (view: views.SavedView) =>
      write((_, record) => {
        const outcome = views.replaceView(database, view)
        if (outcome === 'saved') record(entries.viewSaved(view))
        return outcome
      }),
    /** Removes a view of a user; false where the user has none with this id. */
    removeView: (userId: string, id: string) =>
      write((_, record) => {
        const removed = views.removeView(database, userId, id)
        if (removed !== undefined) record(entries.viewRemoved(removed))
        return removed !== undefined
      }),
    /** Removes a passkey of a user, or all without an id. Returns how many. */
    removePasskeys: (userId: string, id?: string) =>
      write((_, record) => {
        const removed = passkeys.removePasskeys(database, userId, id)
        for (const passkey of removed) record(entries.passkeyRemoved(passkey))
        return removed.length
      }),
    // A request that only reads must not wait for a disk, and a later one stores again what a power cut took.
    useSession: (jti: string, time: number) => writeUnsynced(() => sessions.useSession(database, jti, time)),
    /** Ends one session of a user; false where the user has none with that id. */
    endSession: (userId: string, jti: string, time: number) =>
      write((_, record) => {
        const isEnded = sessions.endSession(database, userId, jti, time)
        if (isEnded) record(entries.sessionEnded(userId, 'session', jti))
        return isEnded
      }),
    /** Ends the sessions of a user but one. Returns how many listed ones had not expired. */
    endOtherSessions: (userId: string, kept: sessions.SessionRecord, time: number) =>
      write((_, record) => {
        const ended = sessions.endOtherSessions(database, userId, kept, time)
        // Any user may repeat this, and each record is kept for months.
        if (ended > 0) record(entries.sessionEnded(userId, 'ended', String(ended)))
        return ended
      }),
    /** Ends every session of a user. Returns how many listed ones had not expired. Later tokens are valid. */
    endSessions: (userId: string, time: number) =>
      write((_, record) => {
        const ended = sessions.endSessions(database, userId, time)
        record(entries.sessionEnded(userId, 'ended', String(ended)))
        return ended
      }),
  }
}
