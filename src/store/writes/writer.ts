/**
 * The writes of the store in the name of an actor. Each checks the actor in its transaction (authority.ts), and adds its
 * audit record as a row of the same transaction (audit-trail.ts).
 */
import type { Actor, Visitor } from '../actor.ts'
import { guestsRemoved, settingsChanged } from '../audit/audit-entries.ts'
import { removeOldRecords } from '../audit/audit-table.ts'
import { SUPPRESSED } from '../audit/audit-trail.ts'
import { removeOldChanges } from '../history/change-retention.ts'
import { emptyTrash } from '../history/trash-table.ts'
import { beginRepair, followReferences } from '../references/follow-references.ts'
import type { AuditEntry } from '../audit/audit-record.ts'
import type { GuestStep, Writer } from '../store.ts'
import { removeExpired } from '../accounts/expired-rows.ts'
import * as guests from '../accounts/guest-table.ts'
import { writeMeta } from '../db/meta-table.ts'
import * as outbox from '../outbox/outbox-table.ts'
import { countRates } from '../accounts/rate-table.ts'
import { changeSettings } from '../settings/setting-table.ts'
import { transactionsOf, type ActorTransactions, type WriterParts } from './actor-transactions.ts'
import { accountErasure, accountWrites, sessionWrites } from './account-writes.ts'
import { documentWrites } from './document-writes.ts'

export function createWriter(parts: WriterParts): (actor: Actor | Visitor) => Writer {
  const erasure = accountErasure(parts)
  return (actor) => {
    const transactions = transactionsOf(actor, parts)
    return {
      ...documentWrites(transactions),
      ...accountWrites(transactions, parts, erasure),
      ...sessionWrites(transactions),
      ...outboxWrites(transactions),
      ...serviceWrites(transactions, erasure),
    }
  }
}

/**
 * Leases mean nothing after a power cut. A lost delivery sends a mail twice, as a cut a moment earlier does. And syncs
 * would keep the service from reading the replies of the mail server on the other connections.
 */
function outboxWrites({ database, write, writeUnsynced }: ActorTransactions) {
  return {
    takeMessages: (turn) => writeUnsynced(() => outbox.takeMessages(database, turn)),
    finishMessage: (id, result, time) => writeUnsynced(() => outbox.finishMessage(database, id, result, time)),
    retryMessage: (id, time) => write(() => outbox.retryMessage(database, id, time)),
  } satisfies Partial<Writer>
}

/** The writes of the service itself. Copies that a power cut takes back are followed again, from where the progress was. */
function serviceWrites({ database, search, capture, write, writeUnsynced }: ActorTransactions, erasure: ReturnType<typeof accountErasure>) {
  const erased = ({ removed, isDone }: ReturnType<typeof guests.removeGuests>, record: (entry: AuditEntry) => void): GuestStep => {
    for (const id of removed) erasure.begin(id)
    if (removed.length > 0) record(guestsRemoved(removed.length))
    return { removed: removed.length, isDone }
  }
  return {
    seeGuest: (id, time) => write(() => guests.seeGuest(database, id, time)),
    countRates: (rates, time) => write(() => countRates(database, rates, time)),
    writeMeta: (name, value) => write(() => writeMeta(database, name, value)),
    changeSettings: (change) =>
      write((_, record) => {
        const changed = changeSettings(database, change)
        if (changed.length > 0) record(settingsChanged(changed))
        return changed
      }),
    removeExpired: (time) => write(() => removeExpired(database, time)),
    registerGuests: (after, time) => write(() => guests.registerGuests(database, after, time)),
    removeGuests: (before, time) =>
      write((_, record) => erased(guests.removeGuests(database, before, time), record)),
    makeGuestRoom: (bytesMax, before, time) =>
      write((_, record) => erased(guests.makeGuestRoom(database, bytesMax, before, time), record)),
    removeOldChanges: (before, deletedBefore) =>
      write(() => {
        const hasMore = removeOldChanges(database, before)
        return emptyTrash(database, deletedBefore) || hasMore
      }),
    followReferences: (upTo, documentsMax) => writeUnsynced(() => followReferences({ database, search, capture }, upTo, documentsMax)),
    beginReferenceRepair: () => write(() => beginRepair(database)),
    record: (entry) => write((_, record) => record(entry)),
    recordSuppressed: () => write((_, record) => record(SUPPRESSED)),
    removeOldRecords: (before) =>
      write((_, record) => {
        record(SUPPRESSED)
        const hasMore = erasure.goOn()
        return removeOldRecords(database, before) || hasMore
      }),
  } satisfies Partial<Writer>
}
