/** The writes of accounts, codes and sessions, with their audit records, and the erasure of deleted accounts. */
import * as entries from '../audit/audit-entries.ts'
import { continueErasures, eraseUser } from '../audit/audit-table.ts'
import type { Change, Writer } from '../store.ts'
import * as accounts from '../tables/account-tables.ts'
import * as codes from '../tables/code-table.ts'
import * as sessions from '../tables/session-table.ts'
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
      write((_, record) => {
        const outcome = accounts.createAccount(database, account, session)
        if (outcome === 'inserted') record(entries.accountCreated(account, session, trail.emailHash))
        return outcome
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
        if (outcome.kind === 'signed-in' && outcome.how === 'merged') erasure.begin(request.guest?.userId ?? '')
        return outcome
      }),
    updateUser: (id, change) =>
      write((moment, record) => {
        let before = ''
        const keepBefore: Change = (stored, text, at) => change(stored, (before = text), at)
        const outcome = accounts.updateUser(database, id, keepBefore, moment)
        if (outcome === 'missing' || outcome === 'last-admin') return outcome
        entries.userChanged(id, { before, after: outcome }, moment).forEach(record)
        return outcome
      }),
    async deleteAccount(request) {
      let isAnonymous = true
      const outcome = await write(({ caller }, record) => {
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
    addSession: (userId, session) =>
      write((_, record) => {
        const outcome = sessions.addSession(database, userId, session)
        if (outcome === 'added') record(entries.tokenIssued(userId, session))
        return outcome
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
