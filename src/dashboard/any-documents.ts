/**
 * Documents of any model, for screens that are made of declarations and know no model by name.
 *
 * The typed client knows each model's fields; here a document is an object with an id, and its declaration says the
 * rest.
 */
import type {
  Client,
  CountsQuery,
  CreateOptions,
  DraftOptions,
  DuplicatesQuery,
  HistoryOptions,
  IterateQuery,
  Json,
  ListQuery,
  Page,
  RequestOptions,
  RestoreOptions,
  Stored,
  TrashQuery,
  WriteOptions,
} from '../client/client.ts'
import type { ModelName } from '../client/client-types.ts'
import type {
  DocumentCounts,
  DocumentHistory,
  DocumentProblems,
  DocumentsUsage,
  DocumentUsage,
  DuplicateDocuments,
  TrashedDocuments,
} from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import { isExactNumber } from './exact-json.ts'
import { t } from './texts.ts'

export type Members = { readonly [name: string]: Json }
export type StoredDocument = Members & { readonly id: string }

export interface Documents {
  list(query: ListQuery, options?: RequestOptions): Promise<Page<StoredDocument>>
  iterate(query: IterateQuery, options?: RequestOptions): AsyncIterable<StoredDocument>
  get(id: string, options?: DraftOptions): Promise<Stored<StoredDocument>>
  create(body: Members, options?: CreateOptions): Promise<Stored<StoredDocument>>
  replace(id: string, body: Members, options?: WriteOptions): Promise<Stored<StoredDocument>>
  /** Changes members; null removes one. */
  patch(id: string, body: Members, options?: WriteOptions): Promise<Stored<StoredDocument>>
  remove(id: string, options?: WriteOptions): Promise<void>
  /** Its changes, the newest first. */
  history(id: string, options?: HistoryOptions): Promise<DocumentHistory>
  /** The document as a change left it. */
  version(id: string, seq: string, options?: DraftOptions): Promise<Stored<StoredDocument>>
  /** Back to what a change left. */
  restore(id: string, options: RestoreOptions): Promise<Stored<StoredDocument>>
  trash(query: TrashQuery, options?: RequestOptions): Promise<TrashedDocuments>
  /** How many there are by status. */
  counts(query: CountsQuery, options?: RequestOptions): Promise<DocumentCounts>
  /** Deletes it from the trash, for good. */
  eraseTrashed(id: string, options?: DraftOptions): Promise<void>
  /** Which documents hold copies of it. */
  usage(id: string, options?: DraftOptions): Promise<DocumentUsage>
  usageOfMany(body: { readonly ids: readonly string[] }, options?: RequestOptions): Promise<DocumentsUsage>
  /** Others with an address. */
  duplicates(query: DuplicatesQuery, options?: RequestOptions): Promise<DuplicateDocuments>
  check(body: Members, options?: DraftOptions & { readonly id?: string | undefined }): Promise<DocumentProblems>
}

export type HistoryItem = DocumentHistory['items'][number]
export type TrashItem = TrashedDocuments['items'][number]

/** The calls for a model. One that its declaration does not offer is rejected by the server. */
export function documentsOf(client: Client, model: Model): Documents {
  return client.data(model.name as ModelName) as unknown as Documents
}

/** The same calls with incomplete drafts, which those who may write the model see. */
export function draftsOf(client: Client, model: Model): Documents {
  const documents = documentsOf(client, model)
  const incomplete = true
  return {
    ...documents,
    list: (query, options) => documents.list({ ...query, incomplete }, options),
    iterate: (query, options) => documents.iterate({ ...query, incomplete }, options),
    get: (id, options) => documents.get(id, { ...options, incomplete }),
    replace: (id, body, options) => documents.replace(id, body, { ...options, incomplete }),
    remove: (id, options) => documents.remove(id, { ...options, incomplete }),
    history: (id, options) => documents.history(id, { ...options, incomplete }),
    version: (id, seq, options) => documents.version(id, seq, { ...options, incomplete }),
    restore: (id, options) => documents.restore(id, { ...options, incomplete }),
    trash: (query, options) => documents.trash({ ...query, incomplete }, options),
    counts: (query, options) => documents.counts({ ...query, incomplete }, options),
    eraseTrashed: (id, options) => documents.eraseTrashed(id, { ...options, incomplete }),
    check: (body, options) => documents.check(body, { ...options, incomplete }),
  }
}

/** What stands for a document in lists, pickers and messages: its title or name, or else its id. */
export function labelOf(document: Members): string {
  for (const name of ['title', 'name', 'displayName', 'email']) {
    const value = document[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  // A draft may have no name yet.
  return document['status'] === 'draft' ? t('untitled') : String(document['id'] ?? '')
}

/** A member of an object; undefined where there is none: names such as `constructor` are no members by themselves. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

export function isMembers(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}
