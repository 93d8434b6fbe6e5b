/**
 * Documents of any model, for screens that are made of declarations and know no model by name.
 *
 * The typed client knows each model's fields; here a document is an object with an id, and its declaration says the
 * rest.
 */
import type { Client, IterateQuery, Json, ListQuery, Page, RequestOptions, Stored, WriteOptions } from '../client/client.ts'
import type { ModelName } from '../client/client-types.ts'
import type { DocumentProblems } from '../models/responses.ts'
import type { Model } from '../models/schema.ts'
import { isExactNumber } from './exact-json.ts'

export type Members = { readonly [name: string]: Json }
export type StoredDocument = Members & { readonly id: string }

export interface Documents {
  list(query: ListQuery, options?: RequestOptions): Promise<Page<StoredDocument>>
  iterate(query: IterateQuery, options?: RequestOptions): AsyncIterable<StoredDocument>
  get(id: string, options?: RequestOptions): Promise<Stored<StoredDocument>>
  create(body: Members, options?: RequestOptions): Promise<Stored<StoredDocument>>
  replace(id: string, body: Members, options?: WriteOptions): Promise<Stored<StoredDocument>>
  remove(id: string, options?: WriteOptions): Promise<void>
  check(body: Members, options?: RequestOptions & { readonly id?: string | undefined }): Promise<DocumentProblems>
}

/** The calls for a model. One that its declaration does not offer is rejected by the server. */
export function documentsOf(client: Client, model: Model): Documents {
  return client.data(model.name as ModelName) as unknown as Documents
}

/** What stands for a document in lists, pickers and messages: its title or name, or else its id. */
export function labelOf(document: Members): string {
  for (const name of ['title', 'name', 'email']) {
    const value = document[name]
    if (typeof value === 'string' && value.trim() !== '') return value
  }
  return String(document['id'] ?? '')
}

/** A member of an object; undefined where there is none: names such as `constructor` are no members by themselves. */
export function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isMembers(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

export function isMembers(value: Json | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactNumber(value)
}
