/** What people are called: publishers and administrators by their names, where the reader may know them. */
import type { Client } from '../client/client.ts'
import { isAdmin } from '../models/caller.ts'
import type { People } from '../models/responses.ts'
import type { User } from '../models/user.ts'
import type { HistoryItem } from './any-documents.ts'
import { valueTitle } from './model-titles.ts'
import { t } from './texts.ts'

const ACTORS = ['operator', 'service', 'feed', 'stranger'] as const

interface Asking {
  readonly client: Client
  readonly user: User
}
type Person = Pick<People['items'][number], 'name' | 'email' | 'role'>

/** Those of the ids that one reader has asked for, while the page is open; undefined for accounts that are gone or no colleagues. */
const known = new Map<string, Person | undefined>()
/** Administrators are told more than others, and one may sign in after the other. */
let knownTo: string | undefined

/** One or two letters that stand for a person beside others. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s@]+/).filter((word) => word !== '')
  const ends = name.includes('@') ? words.slice(0, 1) : [...new Set([words[0], words.at(-1)])]
  return ends.map((word = '') => [...word][0] ?? '').join('').toLocaleUpperCase()
}

/** Asks who these are, in one request; true where there is news. A page goes on without names. */
export async function askNames(ids: readonly string[], { client, user }: Asking, signal?: AbortSignal): Promise<boolean> {
  if (knownTo !== user.id) known.clear()
  knownTo = user.id
  const unknown = [...new Set(ids)].filter((id) => !ACTORS.some((one) => one === id) && !known.has(id))
  if (unknown.length === 0) return false
  const found = await client.dashboard.people({ ids: unknown }, { signal }).catch(() => undefined)
  if (found === undefined || knownTo !== user.id) return false
  for (const id of unknown) known.set(id, found.items.find((one) => one.id === id))
  return true
}

/** What a person who was asked for is called, as words that follow "by". */
export function nameOfPerson(id: string, { user }: Pick<Asking, 'user'>): string {
  return id === user.id ? t('person.you') : shownPerson(knownTo === user.id ? known.get(id) : undefined)
}

/** The same as a name that stands by itself. */
export function titleOfPerson(id: string): string {
  const { name, email, role = 'publisher' } = known.get(id) ?? { name: null, email: null }
  return name ?? email ?? valueTitle(role)
}

/** `actor` is the id of a user, or one of ACTORS; undefined where the account was deleted, and empty where it is not known. */
export async function personName(actor: string | undefined, asking: Asking): Promise<string> {
  if (actor === undefined) return t('person.gone')
  const part = ACTORS.find((one) => one === actor)
  if (part !== undefined) return t(`person.${part}`)
  if (actor === '') return t('person.other')
  if (actor !== asking.user.id) await askNames([actor], asking)
  // An administrator is told of every account that is there.
  if (known.has(actor) && known.get(actor) === undefined && isAdmin(asking.user)) return t('person.gone')
  return nameOfPerson(actor, asking)
}

/** The same where the service names them. */
export function actorName(actor: HistoryItem['actor'], user: User): string {
  if (actor === null) return t('person.gone')
  if (actor.id === user.id) return t('person.you')
  const part = ACTORS.find((one) => one === actor.id)
  return part === undefined ? (actor.name ?? actor.email ?? t('person.other')) : t(`person.${part}`)
}

function shownPerson(person: Person | undefined): string {
  if (person === undefined) return t('person.other')
  return person.name ?? person.email ?? t(person.role === 'admin' ? 'review.administrator' : 'person.publisher')
}

const listeners = new Set<(name: string | undefined) => void>()

/** Hears what the reader is called from now on; undefined without a name. */
export function onOwnName(listener: (name: string | undefined) => void, signal: AbortSignal): void {
  listeners.add(listener)
  signal.addEventListener('abort', () => listeners.delete(listener))
}

export function ownNameChanged(name: string | undefined): void {
  for (const listener of listeners) listener(name)
}
