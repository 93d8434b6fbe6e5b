/** The writes of documents, with their audit records: one in a transaction of its own, or several in one. */
import { parseJson, type JsonObject } from '../../base/json.ts'
import type { Model } from '../../models/schema.ts'
import type { AuditEntry } from '../audit/audit-record.ts'
import * as entries from '../audit/audit-entries.ts'
import { eraseTrashed, getTrashed, leaveTrash } from '../history/trash-table.ts'
import { redirect } from '../references/redirects.ts'
import type { Change, Condition, Document, Moment, ReadDocument, Steps, Writer } from '../store.ts'
import * as accounts from '../accounts/account-tables.ts'
import { keepFirstResponse } from '../documents/first-response-table.ts'
import { isFree } from '../documents/distinct-codes.ts'
import * as documents from '../documents/document-tables.ts'
import { putReviewNote, removeReviewNote } from '../documents/review-notes.ts'
import type { ActorTransactions } from './actor-transactions.ts'
import { moveDocument } from './document-moves.ts'

/** What a step writes with, inside the transaction of its job. */
interface Job {
  readonly moment: Moment
  readonly record: (entry: AuditEntry) => void
}

export function documentWrites(transactions: ActorTransactions) {
  const { database, search, write } = transactions
  const stepsOf = documentSteps(transactions)
  const single = <T>(step: (steps: Steps) => T): Promise<T> => write((moment, record) => step(stepsOf({ moment, record })))
  return {
    insert: (model, document, admit) => single((steps) => steps.insert(model, document, admit)),
    insertMissing(model, items) {
      const isMissing = (item: Document): boolean =>
        documents.getDocument(database, model, item.id) === undefined && isFree(database, model, item)
      return write(
        () => items.filter((item) => isMissing(item) && documents.insertDocument({ database, search }, model, item) === 'inserted').length,
      )
    },
    update: (model, id, change, known) => single((steps) => steps.update(model, id, change, known)),
    updateUser: (id, change) => single((steps) => steps.updateUser(id, change)),
    remove: (model, id, condition, replacement) => single((steps) => steps.remove(model, id, condition, replacement)),
    together: (work) => write((moment, record) => work(moment, stepsOf({ moment, record }))),
  } satisfies Partial<Writer>
}

function documentSteps({ database, search, capture, inserts }: Pick<ActorTransactions, 'database' | 'search' | 'capture' | 'inserts'>) {
  const tables = { database, search }
  return ({ moment, record }: Job): Steps => ({
    ...historySteps({ database, search, capture }, { moment, record }),
    insert(model, document, admit) {
      admit?.(moment)
      const outcome = inserts.insert(model, document) ?? documents.insertDocument(tables, model, document)
      if (outcome === 'inserted' && entries.isRecorded(moment)) record(entries.created(model, document))
      return outcome
    },
    update(model, id, change, known) {
      const versions = updateWith(tables, { model, id, change, known, moment })
      if (versions !== undefined && entries.isRecorded(moment)) record(entries.replaced(model, id, versions))
      return versions?.after
    },
    carryOut(model, id, change) {
      const stored = documents.getDocument(database, model, id)
      const next = stored === undefined ? undefined : change(parseJson(stored) as JsonObject, stored)
      if (next === undefined) return
      const versions = updateWith(tables, { model, id, change: () => next, known: undefined, moment })
      if (versions !== undefined) record(entries.scheduled(model, id, versions, next))
    },
    giveBack(model, id, note, change) {
      const versions = updateWith(tables, { model, id, change, known: undefined, moment })
      if (versions === undefined) return undefined
      putReviewNote(database, model, id, note)
      record(entries.givenBack(model, id, versions, note.note))
      return versions.after
    },
    move: (from, to, id) => moveDocument({ ...tables, capture }, from, to, id),
    updateUser(id, change) {
      let before = ''
      const keepBefore: Change = (stored, text, at) => change(stored, (before = text), at)
      const outcome = accounts.updateUser(database, id, keepBefore, moment)
      if (outcome === 'missing' || outcome === 'last-admin') return outcome
      entries.userChanged(id, { before, after: outcome }, moment).forEach(record)
      return outcome
    },
    remove(model, id, condition, replacement) {
      let before = ''
      const keepBefore: Condition = (text) => {
        before = text
        condition?.(text)
      }
      const isRemoved = documents.removeDocument(tables, model, id, keepBefore)
      if (isRemoved) {
        redirect(database, model, id, replacement?.(moment))
        removeReviewNote(database, model, id)
      }
      if (isRemoved && entries.isRecorded(moment)) record(entries.removed(model, id, before, replacement?.(moment)))
      return isRemoved
    },
    keepResponse(request, response, before) {
      if (moment.caller !== undefined) keepFirstResponse(database, moment.caller.id, request, response, before)
    },
  })
}

interface Update {
  readonly model: Model
  readonly id: string
  readonly change: Change
  readonly known: ReadDocument | undefined
  readonly moment: Moment
}

/** The JSON text of a document before and after a change; undefined where there is no such document. */
function updateWith(tables: documents.DocumentTables, { model, id, change, known, moment }: Update) {
  let before = ''
  const keepBefore: Change = (stored, text, at) => change(stored, (before = text), at)
  const after = documents.updateDocument(tables, model, id, keepBefore, { moment, known })
  return after === undefined ? undefined : { before, after }
}

/** What puts documents back as they were, or removes them for good. */
function historySteps({ capture, ...tables }: Pick<ActorTransactions, 'database' | 'search' | 'capture'>, { moment, record }: Job) {
  const { database } = tables
  return {
    revert(model, id, change, known) {
      const versions = capture.restoring(() => updateWith(tables, { model, id, change, known, moment }))
      if (versions !== undefined) record(entries.restored(model, id, versions))
      return versions?.after
    },
    restore(model, id, admit) {
      const trashed = getTrashed(database, model, id)
      if (trashed === undefined) return { kind: 'missing' }
      const { seq, text } = trashed
      const value = parseJson(text) as JsonObject
      admit(value, text, moment)
      const outcome = capture.restoring(() => documents.insertDocument(tables, model, { id, value, text }))
      if (outcome !== 'inserted') return { kind: 'exists' }
      leaveTrash(database, seq)
      record(entries.restored(model, id, { before: '', after: text }))
      return { kind: 'restored', text }
    },
    eraseTrashed(model, id) {
      const trashed = getTrashed(database, model, id)
      if (trashed === undefined) return false
      eraseTrashed(database, model.name, trashed)
      record(entries.erased(model, id, trashed.text))
      return true
    },
  } satisfies Partial<Steps>
}
