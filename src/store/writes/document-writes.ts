/** The writes of documents, with their audit records: one in a transaction of its own, or several in one. */
import { describe, fail } from '../../base/failure.ts'
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import * as accounts from '../accounts/account-tables.ts'
import * as entries from '../audit/audit-entries.ts'
import type { AuditEntry } from '../audit/audit-trail.ts'
import { isFree } from '../documents/distinct-codes.ts'
import * as documents from '../documents/document-tables.ts'
import {
  getDocument,
  insertDocument,
  removeDocument,
  type Document,
  type DocumentTables,
  type InsertOutcome,
} from '../documents/document-tables.ts'
import { keepFirstResponse, type FirstResponse, type RepeatableRequest } from '../documents/first-response-table.ts'
import { putReviewNote, removeReviewNote, type ReviewNote } from '../documents/review-notes.ts'
import type { Change, Condition, ReadDocument, Replacement, TransactionView } from '../documents/transaction-view.ts'
import type { ChangeCapture } from '../history/change-capture.ts'
import { eraseTrashed, getTrashed, leaveTrash } from '../history/trash-table.ts'
import { redirect } from '../references/current-copies.ts'
import type { ActorTransactions } from './actor-transactions.ts'
import { feedSteps } from './feed-writes.ts'
import { insertTogether, type PlacedDocument } from './group-inserts.ts'

/** What a step writes with, inside the transaction of its job. */
interface Job {
  readonly view: TransactionView
  readonly record: (entry: AuditEntry) => void
}

export type RestoreOutcome = { readonly kind: 'restored'; readonly text: string } | { readonly kind: 'missing' | 'exists' }

/** Writes inside a transaction that several share: each is there for the next, and what one throws undoes all. */
export type Steps = ReturnType<ReturnType<typeof documentSteps>>

/** The steps as transactions of their own, and what takes several in one. */
export function documentWrites(transactions: ActorTransactions) {
  const { database, search, write } = transactions
  const stepsOf = documentSteps(transactions)
  const single = <T>(step: (steps: Steps) => T): Promise<T> => write((view, record) => step(stepsOf({ view, record })))
  return {
    insert: (...of: Parameters<Steps['insert']>) => single((steps) => steps.insert(...of)),
    update: (...of: Parameters<Steps['update']>) => single((steps) => steps.update(...of)),
    updateUser: (...of: Parameters<Steps['updateUser']>) => single((steps) => steps.updateUser(...of)),
    remove: (...of: Parameters<Steps['remove']>) => single((steps) => steps.remove(...of)),
    /**
     * Runs writes in one transaction. What the work throws is thrown, and nothing is written. One that is not synced may be lost in
     * a power cut, with all that follow it up to the next that is.
     */
    together: <T>(work: (view: TransactionView, steps: Steps) => T, isSynced = true): Promise<T> =>
      write((view, record) => work(view, stepsOf({ view, record })), isSynced),
    /** Inserts those whose id does not exist yet. Returns their number. */
    insertMissing(model: Model, items: readonly Document[]): Promise<number> {
      const isMissing = (item: Document): boolean =>
        documents.getDocument(database, model, item.id) === undefined && isFree(database, model, item)
      const isInserted = (item: Document): boolean =>
        isMissing(item) && documents.insertDocument({ database, search }, model, item) === 'inserted'
      return write(() => items.filter(isInserted).length)
    },
  }
}

function documentSteps({ database, search, capture, inserts }: Pick<ActorTransactions, 'database' | 'search' | 'capture' | 'inserts'>) {
  const tables = { database, search }
  return ({ view, record }: Job) => {
    const recordIf = (entryOf: () => AuditEntry): void => {
      if (entries.isRecorded(view)) record(entryOf())
    }
    return {
      ...historySteps({ database, search, capture }, { view, record }),
      get feeds() {
        return feedSteps(database, record)
      },
      /** What `admit` throws is thrown, and nothing is inserted. */
      insert(model: Model, document: Document, admit?: (view: TransactionView) => void): InsertOutcome {
        admit?.(view)
        const outcome = inserts.insert(model, document) ?? documents.insertDocument(tables, model, document)
        if (outcome === 'inserted') recordIf(() => entries.created(model, document))
        return outcome
      },
      /** Inserts documents with new ids, many to a statement. Throws where an id is taken. */
      insertAll(documents: readonly PlacedDocument[]): void {
        insertTogether(tables, documents)
        for (const { model, ...document } of documents) recordIf(() => entries.created(model, document))
      },
      /**
       * Replaces a document by the result of `change`, atomically. Returns its new text, or undefined where there is none.
       * What `change` throws is thrown, and nothing changes. Where `known` is still what is stored, it is not parsed again,
       * which would make the transaction long.
       */
      update(model: Model, id: string, change: Change, known?: ReadDocument): string | undefined {
        const versions = documents.updateDocument(tables, model, id, change, { view, known })
        if (versions !== undefined) recordIf(() => entries.replaced(model, id, versions))
        return versions?.after
      },
      /** The same for a change that was scheduled, which the service makes. It makes none where `change` returns none. */
      carryOut(model: Model, id: string, change: (stored: JsonObject, text: string) => JsonObject | undefined): void {
        const stored = documents.getDocument(database, model, id)
        const next = stored === undefined ? undefined : change(parseJson(stored) as JsonObject, stored)
        if (next === undefined) return
        const versions = documents.updateDocument(tables, model, id, () => next, { view })
        if (versions !== undefined) record(entries.scheduled(model, id, versions, next))
      },
      /** The same as update() for a change that gives a draft back to its author, with a note. */
      giveBack(model: Model, id: string, note: ReviewNote, change: Change): string | undefined {
        const versions = documents.updateDocument(tables, model, id, change, { view })
        if (versions === undefined) return undefined
        putReviewNote(database, model, id, note)
        record(entries.givenBack(model, id, versions, note.note))
        return versions.after
      },
      /** Moves a document from one table to another, as it is; see models/incomplete.ts. Throws conflict where the id is taken. */
      move: (from: Model, to: Model, id: string): void => moveDocument({ ...tables, capture }, from, to, id),
      /** Changes a user; 'last-admin' where that would leave the site without an administrator. */
      updateUser(id: string, change: Change): string | 'missing' | 'last-admin' {
        const outcome = accounts.updateUser(database, id, change, view)
        if (outcome === 'missing' || outcome === 'last-admin') return outcome
        entries.userChanged(id, outcome, view).forEach(record)
        return outcome.after
      },
      /**
       * Removes a document for which the condition holds; false where there is none. `replacement` gives the id of the document
       * that takes its place in all copies; without one, they are kept.
       */
      remove(model: Model, id: string, condition?: Condition, replacement?: Replacement): boolean {
        const before = documents.removeDocument(tables, model, id, condition)
        if (before === undefined) return false
        const replacedBy = replacement?.(view)
        redirect(database, model, id, replacedBy)
        removeReviewNote(database, model, id)
        recordIf(() => entries.removed(model, id, before, replacedBy))
        return true
      },
      /**
       * Keeps the response of the caller's request, in the place of the data that an earlier transaction of the request has
       * kept. Throws conflict where its key was used meanwhile.
       */
      keepResponse(request: RepeatableRequest, response: FirstResponse, before?: string): void {
        if (view.caller !== undefined) keepFirstResponse(database, view.caller.id, request, response, before)
      },
    }
  }
}

/** What puts documents back as they were, or removes them for good. */
function historySteps({ capture, ...tables }: Pick<ActorTransactions, 'database' | 'search' | 'capture'>, { view, record }: Job) {
  const { database } = tables
  return {
    /** The same as update() for a change that puts back an earlier version. */
    revert(model: Model, id: string, change: Change, known?: ReadDocument): string | undefined {
      const versions = capture.restoring(() => documents.updateDocument(tables, model, id, change, { view, known }))
      if (versions !== undefined) record(entries.restored(model, id, versions))
      return versions?.after
    },
    /**
     * Takes a document out of the trash, as it was deleted. What `admit` throws is thrown, and nothing changes. 'missing'
     * where it is not in the trash, 'exists' where there is a document with its id again.
     */
    restore(model: Model, id: string, admit: (stored: JsonObject, text: string, view: TransactionView) => void): RestoreOutcome {
      const trashed = getTrashed(database, model, id)
      if (trashed === undefined) return { kind: 'missing' }
      const { seq, text } = trashed
      const value = parseJson(text) as JsonObject
      admit(value, text, view)
      const outcome = capture.restoring(() => documents.insertDocument(tables, model, { id, value, text }))
      if (outcome !== 'inserted') return { kind: 'exists' }
      leaveTrash(database, seq)
      record(entries.restored(model, id, { before: '', after: text }))
      return { kind: 'restored', text }
    },
    /** Removes a document of the trash for good, with its earlier versions. What the condition throws is thrown; false where it is not there. */
    eraseTrashed(model: Model, id: string, condition?: Condition): boolean {
      const trashed = getTrashed(database, model, id)
      if (trashed === undefined) return false
      condition?.(trashed.text)
      eraseTrashed(database, model.name, trashed)
      record(entries.erased(model, id, trashed.text))
      return true
    },
  }
}

// Moves a document to the other table of its model, as it is: see models/incomplete.ts. Runs inside a transaction.

export interface MovingTables extends DocumentTables {
  readonly capture: Pick<ChangeCapture, 'moving'>
}

/** Throws conflict where the id is taken. */
export function moveDocument({ capture, ...tables }: MovingTables, from: Model, to: Model, id: string): void {
  const text = getDocument(tables.database, from, id) ?? ''
  const outcome = capture.moving(() => {
    removeDocument(tables, from, id)
    return insertDocument(tables, to, { id, value: parseJson(text) as JsonObject, text })
  })
  // Of an earlier deletion: the document is there.
  redirect(tables.database, from, id, undefined)
  if (outcome !== 'inserted') throw fail('conflict', `Cannot write the ${from.name} ${describe(id)}: the id is taken`)
}
