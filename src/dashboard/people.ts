/** Who did something, as words that follow "by". Only administrators may read users: to others, other people are just that. */
import { NotFound, type Client } from '../client/client.ts'
import { isAdmin } from '../models/caller.ts'
import type { User } from '../models/user.ts'
import type { HistoryItem } from './any-documents.ts'
import { t } from './texts.ts'

const ACTORS = ['operator', 'service', 'feed', 'stranger'] as const

/** Kept for as long as the page is open. */
const emails = new Map<string, Promise<string>>()

/** `actor` is the id of a user, or one of ACTORS; undefined where the account was deleted, and empty where it is not known. */
export async function personName(actor: string | undefined, { client, user }: { readonly client: Client; readonly user: User }): Promise<string> {
  if (actor === undefined) return t('person.gone')
  if (actor === user.id) return t('person.you')
  const known = ACTORS.find((one) => one === actor)
  if (known !== undefined) return t(`person.${known}`)
  if (actor === '' || !isAdmin(user)) return t('person.other')
  const email = emails.get(actor) ?? client.data('user').get(actor).then(({ document }) => document.email)
  emails.set(actor, email)
  try {
    return await email
  } catch (error) {
    emails.delete(actor)
    return error instanceof NotFound ? t('person.gone') : t('person.other')
  }
}

/** The same where the service names them. */
export function actorName(actor: HistoryItem['actor'], user: User): string {
  if (actor === null) return t('person.gone')
  if (actor.id === user.id) return t('person.you')
  const known = ACTORS.find((one) => one === actor.id)
  return known === undefined ? (actor.email ?? t('person.other')) : t(`person.${known}`)
}
