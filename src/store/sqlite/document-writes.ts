/** The writes of documents, with their audit records. */
import * as entries from '../audit/audit-entries.ts'
import type { Change, Condition, Writer } from '../store.ts'
import * as documents from '../tables/document-tables.ts'
import type { ActorTransactions } from './actor-transactions.ts'

export function documentWrites({ database, search, write }: ActorTransactions) {
  const tables = { database, search }
  return {
    insert: (model, document, admit) =>
      write((moment, record) => {
        admit?.(moment)
        const outcome = documents.insertDocument(tables, model, document)
        if (outcome === 'inserted' && entries.isRecorded(moment)) record(entries.created(model, document))
        return outcome
      }),
    insertMissing: (model, items) =>
      write(() => items.filter((item) => documents.insertDocument(tables, model, item) === 'inserted').length),
    update: (model, id, change, known) =>
      write((moment, record) => {
        let before = ''
        const keepBefore: Change = (stored, text, at) => change(stored, (before = text), at)
        const after = documents.updateDocument(tables, model, id, keepBefore, { moment, known })
        if (after !== undefined && entries.isRecorded(moment)) record(entries.replaced(model, id, { before, after }))
        return after
      }),
    remove: (model, id, condition) =>
      write((moment, record) => {
        let before = ''
        const keepBefore: Condition = (text) => {
          before = text
          condition?.(text)
        }
        const isRemoved = documents.removeDocument(tables, model, id, keepBefore)
        if (isRemoved && entries.isRecorded(moment)) record(entries.removed(model, id, before))
        return isRemoved
      }),
  } satisfies Partial<Writer>
}
