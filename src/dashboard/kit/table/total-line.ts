/** How many rows a list has in all, beside its title: `409`, and `10,000+` where there are more than were counted. */
import type { Page } from '../../../client/client.ts'
import { numberText } from '../../texts.ts'
import { h } from '../dom.ts'
import type { Start } from './page-list.ts'

/** Where the rows come from memory, so does their number; one query at a time is remembered. */
let remembered: { readonly key: string; readonly words: string } | undefined

/** `key` names the list with its query. */
export function totalLine(key: () => string) {
  const known = (): string => (remembered?.key === key() ? remembered.words : '')
  const element = h('p', { class: 'total' }, known())
  const take = ({ total, totalIsFloor }: Pick<Page<unknown>, 'total' | 'totalIsFloor'>): void => {
    if (total !== undefined) {
      remembered = { key: key(), words: `${numberText(total)}${totalIsFloor === true ? '+' : ''}` }
    }
    element.textContent = known()
  }
  return {
    element,
    /** As it is shown; empty while it is not known. */
    words: known,
    /** For the request of a page: the first is counted. */
    count: (start: Start): true | undefined => (start === undefined ? true : undefined),
    take,
    /** Rows came or went elsewhere. The number of a query that is not shown any more is dropped, and so is a failure. */
    async recount(read: () => Promise<Page<unknown>>): Promise<void> {
      const asked = key()
      const page = await read().catch(() => undefined)
      if (page !== undefined && asked === key()) take(page)
    },
  }
}
