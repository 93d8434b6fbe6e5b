/** What the members of all formats have in common. */

export const FEED_ITEMS_MAX = 500
export const ID_CHARS_MAX = 2_000
/** Of an item; nothing that is longer is a title. */
export const TITLE_CHARS_MAX = 1_000
export const FEED_TITLE_CHARS_MAX = 200
export const NAME_CHARS_MAX = 200
export const CATEGORIES_MAX = 50
export const AUTHORS_MAX = 5

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** The members that have a value: a member without one is left out. */
export function present<T extends object>(members: T): Present<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== '')) as Present<T>
}

/** The first address, text or date that there is. */
export function firstOf<From, To>(all: Iterable<From>, read: (one: From) => To | undefined): To | undefined {
  for (const one of all) {
    const value = read(one)
    if (value !== undefined && value !== '') return value
  }
  return undefined
}
