/** The writes of the outbox, of publications beside their documents, and of the service itself. The removals are small steps. */
import type { Json, JsonObject } from '../../base/json.ts'
import { removeExpired } from '../accounts/expired-rows.ts'
import * as guests from '../accounts/guest-table.ts'
import { countRates, type Rate } from '../accounts/rate-table.ts'
import { guestsRemoved, settingsChanged } from '../audit/audit-entries.ts'
import { removeOldRecords } from '../audit/audit-retention.ts'
import { SUPPRESSED, type AuditEntry } from '../audit/audit-trail.ts'
import { removeOldChanges } from '../history/change-retention.ts'
import { emptyTrash } from '../history/trash-table.ts'
import * as outbox from '../outbox/outbox-table.ts'
import { breakChain, continueChain, forgetChain, prunePending, writePlaceState } from '../pending/pending-changes.ts'
import { putPublicationPing, putPublicationSecret } from '../publications/publication-rows.ts'
import { beginRepair, followReferences } from '../references/follow-references.ts'
import { changeSettings, writeMeta, type SettingsChange } from '../settings/setting-table.ts'
import type { accountErasure } from './account-writes.ts'
import type { ActorTransactions } from './actor-transactions.ts'

/**
 * Leases mean nothing after a power cut. A lost delivery sends a mail twice, as a cut a moment earlier does. And syncs
 * would keep the service from reading the replies of the mail server on the other connections.
 */
export function outboxWrites({ database, write, writeUnsynced }: ActorTransactions) {
  return {
    /** One turn of the courier, in one transaction: ends expired messages and takes due ones, with a lease. */
    takeMessages: (turn: outbox.OutboxTurn) => writeUnsynced(() => outbox.takeMessages(database, turn)),
    /**
     * Records how an attempt ended. A message that is done loses its content. One that ended meanwhile stays as it is;
     * only the reply is added.
     */
    finishMessage: (id: string, result: outbox.DeliveryResult, time: number) =>
      writeUnsynced(() => outbox.finishMessage(database, id, result, time)),
    /** Makes a waiting message due immediately; otherwise returns its state, or 'missing'. */
    retryMessage: (id: string, time: number) => write(() => outbox.retryMessage(database, id, time)),
  }
}

export function publicationWrites({ database, write, writeUnsynced }: ActorTransactions) {
  return {
    /** Replaces the hash of the secret of a publication; false where there is no such publication. */
    putPublicationSecret: (publication: string, hash: Uint8Array) =>
      write((_, record) => {
        const isPut = putPublicationSecret(database, publication, hash)
        if (isPut) record({ event: 'publication.secret-set', model: 'publication', documentId: publication })
        return isPut
      }),
    /** Notes what a hub was told of. What a power cut takes is told of once more. */
    putPublicationPing: (publication: string, content: string) => writeUnsynced(() => putPublicationPing(database, publication, content)),
  }
}

/** The writes of the service itself. Copies that a power cut takes back are followed again, from where the progress was. */
export function serviceWrites({ database, search, capture, write, writeUnsynced }: ActorTransactions, erasure: ReturnType<typeof accountErasure>) {
  const erased = ({ removed, isDone }: ReturnType<typeof guests.removeGuests>, record: (entry: AuditEntry) => void): guests.GuestStep => {
    for (const id of removed) erasure.begin(id)
    if (removed.length > 0) record(guestsRemoved(removed.length))
    return { removed: removed.length, isDone }
  }
  return {
    /** Stores that a guest was here. */
    seeGuest: (id: string, time: number) => write(() => guests.seeGuest(database, id, time)),
    /**
     * Counts an event of each rate, or of none where one of them is full: returns the place of that rate and the milliseconds
     * until it has room.
     */
    countRates: (rates: readonly Rate[], time: number) => write(() => countRates(database, rates, time)),
    /** Stores metadata of the database under a name. */
    writeMeta: (name: string, value: Json) => write(() => writeMeta(database, name, value)),
    /** Goes on with the chain of changes for off-site backups, or begins one of this id. */
    continueChain: (id: string) => write(() => continueChain(database, id)),
    /** Ends the chain: the next snapshot begins another. */
    breakChain: (reason: string) => write(() => breakChain(database, reason)),
    /** Removes some changes that all places have. Returns whether there may be more. */
    prunePending: (upTo: number) => writeUnsynced(() => prunePending(database, upTo)),
    /** Stores what a place has. */
    writePlaceState: (name: string, state: JsonObject) => write(() => writePlaceState(database, name, state)),
    /** Forgets the chain: no place wants changes any more. */
    endChain: () => write(() => forgetChain(database)),
    /** Changes settings and returns those that are different now. Throws what its check throws, and conflict. */
    changeSettings: (change: SettingsChange) =>
      write((_, record) => {
        const changed = changeSettings(database, change)
        if (changed.length > 0) record(settingsChanged(changed))
        return changed
      }),
    /** Removes some expired rows. Returns whether there may be more. */
    removeExpired: (time: number) => write(() => removeExpired(database, time)),
    /** Starts to watch guests who are not watched yet. Returns the user to go on from; undefined at the end. */
    registerGuests: (after: number, time: number) => write(() => guests.registerGuests(database, after, time)),
    /** Permanently deletes some of the guests who were last active on a day before that of a time. */
    removeGuests: (before: number, time: number) =>
      write((_, record) => erased(guests.removeGuests(database, before, time), record)),
    /** The same for those who were last active before a time, the oldest first, until all guests together have no more bytes. */
    makeGuestRoom: (bytesMax: number, before: number, time: number) =>
      write((_, record) => erased(guests.makeGuestRoom(database, bytesMax, before, time), record)),
    /**
     * Removes some earlier versions and changes from before a time, and for good some of what went to the trash before
     * another. Returns whether there may be more.
     */
    removeOldChanges: (before: number, deletedBefore: number) =>
      write(() => {
        const hasMore = removeOldChanges(database, before)
        return emptyTrash(database, deletedBefore) || hasMore
      }),
    /**
     * Brings some copies of documents up to date, in one step. `upTo` is the change up to which lookForWork() found nothing
     * to do. It changes `documentsMax` documents at most, by default as many as take about a millisecond. A power cut may undo it.
     */
    followReferences: (upTo: number, documentsMax?: number) =>
      writeUnsynced(() => followReferences({ database, search, capture }, upTo, documentsMax)),
    /** Begins to compare all copies with their documents; followReferences() goes on with it. */
    beginReferenceRepair: () => write(() => beginRepair(database)),
    /** Adds an audit record of an action outside the store. Other writes add theirs by themselves. */
    record: (entry: AuditEntry) => write((_, record) => record(entry)),
    /** Adds an audit record of how many records were left out since the last such record, if any were. */
    recordSuppressed: () => write((_, record) => record(SUPPRESSED)),
    /**
     * Removes some audit records from before a time, or none because of their age where it is undefined, and some of those
     * that visitors have caused too many of. Continues the erasure of deleted accounts. Returns whether there may be more.
     */
    removeOldRecords: (before: number | undefined) =>
      write((_, record) => {
        record(SUPPRESSED)
        const hasMore = erasure.goOn()
        return removeOldRecords(database, before) || hasMore
      }),
  }
}
