/** What needs attention: what it is about in the reader's language, and the service's own words. */
import type { ServiceStatus } from '../../models/responses.ts'
import { FEEDS, hrefTo, SCHEDULED } from '../screen-url.ts'
import { t } from '../texts.ts'
import { h, type Child } from './dom.ts'
import { icon } from './icons.ts'

type Attention = ServiceStatus['attention'][number]

export interface AttentionItem {
  /** Undefined where the reader is there already. */
  readonly href: string | undefined
  readonly words: Child
}

/** Where something can be done about it. */
const PLACE_OF: { readonly [kind in Attention['kind']]?: string } = {
  mail: hrefTo(['operations'], { part: 'outbox' }),
  backups: hrefTo(['operations'], { part: 'backups' }),
  offsite: hrefTo(['operations'], { part: 'backups' }),
  cluster: hrefTo(['operations'], { part: 'cluster' }),
  schedule: hrefTo([SCHEDULED]),
  feeds: hrefTo([FEEDS], { status: 'failing' }),
}

/** What the service found; what has no place of its own leads to `elsewhere`. */
export function foundByService({ kind, message }: Attention, elsewhere?: string): AttentionItem {
  return {
    href: PLACE_OF[kind] ?? elsewhere,
    words: [t(`attention.${kind}`), h('span', { class: 'soft', lang: 'en', dir: 'auto' }, message)],
  }
}

export function attentionCard(items: readonly AttentionItem[]): HTMLElement {
  const listed = items.map(({ href, words }) => {
    const shown = [icon('warning'), h('span', {}, words)]
    return h('li', {}, href === undefined ? shown : h('a', { href }, shown))
  })
  return h(
    'section',
    { class: 'card attention', 'aria-labelledby': 'attention' },
    h('h3', { id: 'attention' }, t('overview.attention')),
    h('ul', {}, listed),
  )
}
