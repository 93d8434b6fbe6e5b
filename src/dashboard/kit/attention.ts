/** What needs attention: what it is about in the reader's language, and the service's own words. */
import type { ServiceStatus } from '../../models/responses.ts'
import { hrefTo } from '../screen-url.ts'
import { t } from '../texts.ts'
import { h, type Child } from './dom.ts'
import { icon } from './icons.ts'

type Attention = ServiceStatus['attention'][number]

export interface AttentionItem {
  /** Undefined where the reader is there already. */
  readonly href: string | undefined
  readonly words: Child
}

/** The parts of the operations screen where something can be done about it. */
const PART_OF: { readonly [kind in Attention['kind']]?: string } = { mail: 'outbox', backups: 'backups', cluster: 'cluster' }

/** What the service found; what has no part of its own leads to `elsewhere`. */
export function foundByService({ kind, message }: Attention, elsewhere?: string): AttentionItem {
  const part = PART_OF[kind]
  return {
    href: part === undefined ? elsewhere : hrefTo(['operations'], { part }),
    words: [t(`attention.${kind}`), h('span', { class: 'soft', lang: 'en', dir: 'auto' }, message)],
  }
}

export function attentionCard(heading: 'h2' | 'h3', items: readonly AttentionItem[]): HTMLElement {
  const listed = items.map(({ href, words }) => {
    const shown = [icon('warning'), h('span', {}, words)]
    return h('li', {}, href === undefined ? shown : h('a', { href }, shown))
  })
  return h(
    'section',
    { class: 'card attention', 'aria-labelledby': 'attention' },
    h(heading, { id: 'attention' }, t('overview.attention')),
    h('ul', {}, listed),
  )
}
