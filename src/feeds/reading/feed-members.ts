/** What the members of all formats have in common. */

export const FEED_ITEMS_MAX = 500
export const ID_CHARS_MAX = 2_000
/** Of an item; nothing that is longer is a title. */
export const TITLE_CHARS_MAX = 1_000
export const FEED_TITLE_CHARS_MAX = 200
export const NAME_CHARS_MAX = 200
export const CATEGORIES_MAX = 50
export const AUTHORS_MAX = 5

type Present<T> = { -readonly [K in keyof T]?: Exclude<T[K], undefined> }

/** The members that have a value: a member without one is left out. */
export function present<T extends object>(members: T): Present<T> {
  const found: Present<T> = {}
  for (const name in members) {
    const value = members[name]
    if (value !== undefined && value !== '') found[name] = value as Exclude<T[typeof name], undefined>
  }
  return found
}

/** A language tag (BCP 47) with hyphens, which some feeds write as `en_US`; undefined for other text. */
export function languageOf(text: string | undefined): string | undefined {
  const tag = text?.trim().replaceAll('_', '-') ?? ''
  return /^[a-z]{1,8}(?:-[a-z\d]{1,8}){0,5}$/i.test(tag) ? tag : undefined
}

/** The first address, text or date that there is. */
export function firstOf<From, To>(all: Iterable<From>, read: (one: From) => To | undefined): To | undefined {
  for (const one of all) {
    const value = read(one)
    if (value !== undefined && value !== '') return value
  }
  return undefined
}
