/**
 * The writes of the store in the name of an actor, who is judged in the transaction of each (authority.ts). What a write
 * does is noted here, in one place: the record of it is a row of the same transaction (audit-trail.ts).
 */
import type { Clock } from '../../base/clock.ts'
import * as accounts from '../tables/account-tables.ts'
import type { Actor, Visitor } from '../actor.ts'
import * as entries from '../audit/audit-entries.ts'
import { continueErasures, eraseUser, removeOldRecords } from '../audit/audit-table.ts'
import { SUPPRESSED, type AuditTrail, type Note } from '../audit/audit-trail.ts'
import { momentOf } from './authority.ts'
import type { Checkpoints } from '../wal/checkpoints.ts'
import * as codes from '../tables/code-table.ts'
import type { Database } from './database.ts'
import * as documents from '../tables/document-tables.ts'
import { removeExpired } from '../tables/expired-rows.ts'
import * as guests from '../tables/guest-table.ts'
import * as notes from '../tables/note-table.ts'
import * as outbox from '../tables/outbox-table.ts'
import { countRate } from '../tables/rate-table.ts'
import * as sessions from '../tables/session-table.ts'
import type { Change, Condition, Moment, Writer } from '../store.ts'
import type { WriteQueue } from './write-queue.ts'

export interface WriterParts {
  readonly database: Database
  readonly queue: WriteQueue
  readonly checkpoints: Checkpoints
  readonly trail: AuditTrail
  readonly now: Clock
}

export function createWriter({
  database,
  queue,
  checkpoints,
  trail,
  now,
}: WriterParts): (actor: Actor | Visitor) => Writer {
  /** Makes the records of a deleted account anonymous; false where more are left for forgetMore(). */
  const forget = (userId: string, email?: string, pseudonym = trail.newPseudonym()): boolean => {
    checkpoints.erase()
    const emailHashes = email === undefined ? [] : trail.emailHashes(email)
    return eraseUser(database, { userId, pseudonym, emailHashes })
  }
  const forgetMore = (): boolean => {
    const isUnderWay = continueErasures(database)
    if (isUnderWay) checkpoints.erase()
    return isUnderWay
  }

  return (actor) => {
    const write = async <T>(job: (moment: Moment, note: Note) => T): Promise<T> => {
      let records: ReturnType<AuditTrail['begin']> | undefined
      try {
        const done = await queue.write(() => {
          const moment = momentOf(database, actor, now())
          records = trail.begin(actor, moment.caller)
          return job(moment, records.note)
        })
        records?.committed()
        return done
      } catch (error) {
        records?.rolledBack()
        throw error
      }
    }
    const writeUnsynced = <T>(job: () => T): Promise<T> =>
      queue.writeUnsynced(() => {
        momentOf(database, actor, now())
        return job()
      })
    return {
      insert: (model, document, admit) =>
        write((moment, note) => {
          admit?.(moment)
          const outcome = documents.insertDocument(database, model, document)
          if (outcome === 'inserted' && entries.isRecorded(moment)) note(entries.created(model, document))
          return outcome
        }),
      insertMissing: (model, items) =>
        write(() => items.filter((item) => documents.insertDocument(database, model, item) === 'inserted').length),
      update: (model, id, change, known) =>
        write((moment, note) => {
          let before = ''
          const kept: Change = (stored, text, at) => change(stored, (before = text), at)
          const after = documents.updateDocument(database, model, id, kept, { moment, known })
          if (after !== undefined && entries.isRecorded(moment)) note(entries.replaced(model, id, { before, after }))
          return after
        }),
      remove: (model, id, condition) =>
        write((moment, note) => {
          let before = ''
          const kept: Condition = (text) => {
            before = text
            condition?.(text)
          }
          const isRemoved = documents.removeDocument(database, model, id, kept)
          if (isRemoved && entries.isRecorded(moment)) note(entries.removed(model, id, before))
          return isRemoved
        }),

      issueCode: (issue) =>
        write((_, note) => {
          const outcome = codes.issueCode(database, issue)
          note(entries.codeRequested(trail.emailHash(issue.email), outcome))
          return outcome
        }),
      createAccount: (account, session) =>
        write((_, note) => {
          const outcome = accounts.createAccount(database, account, session)
          if (outcome === 'inserted') note(entries.accountCreated(account, session, trail.emailHash))
          return outcome
        }),
      promote: (email, time) =>
        write((_, note) => {
          const before = accounts.userByEmail(database, email)
          const after = accounts.promote(database, email, time)
          if (before !== undefined && after !== undefined) entries.roleChanged(before, after).forEach(note)
          return after
        }),
      signIn: (request) =>
        write((_, note) => {
          const outcome = accounts.signIn(database, request)
          entries.signInEntries(request, outcome, trail.emailHash(request.code.email)).forEach(note)
          // The guest is deleted with the merge.
          if (outcome.kind === 'signed-in' && outcome.how === 'merged') forget(request.guest?.userId ?? '')
          return outcome
        }),
      revoke: (token) =>
        write(({ caller }, note) => {
          sessions.revoke(database, token)
          note(entries.sessionEnded(caller?.id ?? '', 'session', token.jti))
        }),
      addSession: (userId, session) =>
        write((_, note) => {
          const outcome = sessions.addSession(database, userId, session)
          if (outcome === 'added') note(entries.tokenIssued(userId, session))
          return outcome
        }),
      endSession: (userId, jti, time) =>
        write((_, note) => {
          const isEnded = sessions.endSession(database, userId, jti, time)
          if (isEnded) note(entries.sessionEnded(userId, 'session', jti))
          return isEnded
        }),
      // A request that only reads must not wait for a disk, and a later one makes good what a power cut took.
      useSession: (jti, time) => writeUnsynced(() => sessions.useSession(database, jti, time)),
      endOtherSessions: (userId, kept, time) =>
        write((_, note) => {
          const ended = sessions.endOtherSessions(database, userId, kept, time)
          // Any user may ask for this over and over, and each record takes room for months.
          if (ended > 0) note(entries.sessionEnded(userId, 'ended', String(ended)))
          return ended
        }),
      endSessions: (userId, time) =>
        write((_, note) => {
          const ended = sessions.endSessions(database, userId, time)
          note(entries.sessionEnded(userId, 'ended', String(ended)))
          return ended
        }),
      updateUser: (id, change) =>
        write((moment, note) => {
          let before = ''
          const kept: Change = (stored, text, at) => change(stored, (before = text), at)
          const outcome = accounts.updateUser(database, id, kept, moment)
          if (outcome === 'missing' || outcome === 'last-admin') return outcome
          entries.userChanged(id, { before, after: outcome }, moment).forEach(note)
          return outcome
        }),
      async deleteAccount(request) {
        let isAnonymous = true
        const outcome = await write(({ caller }, note) => {
          const email = accounts.emailOf(database, request.id)
          const done = accounts.deleteAccount(database, request)
          if (done !== 'deleted') return done
          const pseudonym = trail.newPseudonym()
          note(entries.userDeleted(pseudonym, { isOwn: caller?.id === request.id }))
          isAnonymous = forget(request.id, email, pseudonym)
          return done
        })
        // Who deletes the own account may write no longer.
        while (!isAnonymous) isAnonymous = !(await queue.write(forgetMore))
        return outcome
      },
      seeGuest: (id, time) => write(() => guests.seeGuest(database, id, time)),
      countRate: (rate, time) => write(() => countRate(database, rate, time)),

      // Leases mean nothing after a power cut. That of a delivery would send a mail again that was just delivered, as
      // does a cut a moment earlier; and syncs keep the service from reading what the mail server said to the other
      // lanes.
      takeMessages: (turn) => writeUnsynced(() => outbox.takeMessages(database, turn)),
      finishMessage: (id, result, time) => writeUnsynced(() => outbox.finishMessage(database, id, result, time)),
      retryMessage: (id, time) => write(() => outbox.retryMessage(database, id, time)),

      writeNote: (name, value) => write(() => notes.writeNote(database, name, value)),
      removeExpired: (time) => write(() => removeExpired(database, time)),
      registerGuests: (after, time) => write(() => guests.registerGuests(database, after, time)),
      removeGuests: (before, time) =>
        write((_, note) => {
          const { removed, isDone } = guests.removeGuests(database, before, time)
          for (const id of removed) forget(id)
          if (removed.length > 0) note(entries.guestsRemoved(removed.length))
          return { removed: removed.length, isDone }
        }),

      note: (entry) => write((_, note) => note(entry)),
      noteSuppressed: () => write((_, note) => note(SUPPRESSED)),
      removeOldRecords: (before) =>
        write((_, note) => {
          note(SUPPRESSED)
          const isUnderWay = forgetMore()
          return removeOldRecords(database, before) || isUnderWay
        }),
    }
  }
}
