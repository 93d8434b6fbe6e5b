/** What needs attention, as sentences in the language of the reader. */
import type { RequestOptions } from '../../client/client.ts'
import type { ServiceStatus } from '../../models/responses.ts'
import type { ScreenContext } from '../screen.ts'
import { FEEDS, hrefTo, SCHEDULED } from '../screen-url.ts'
import { addTexts, t, textOr, type Tables } from '../texts.ts'
import { h, type Child } from './dom.ts'
import { icon } from './icons.ts'
import { byteSize, dateTimeText, duration } from './moments.ts'

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

/** The sentences, which a healthy service never needs. */
const SENTENCES: Tables = {
  en: () => import('../../../data/texts/concerns/en.json', { with: { type: 'json' } }),
  de: () => import('../../../data/texts/concerns/de.json', { with: { type: 'json' } }),
  fr: () => import('../../../data/texts/concerns/fr.json', { with: { type: 'json' } }),
  es: () => import('../../../data/texts/concerns/es.json', { with: { type: 'json' } }),
  ar: () => import('../../../data/texts/concerns/ar.json', { with: { type: 'json' } }),
}

/** The status of the service, with the sentences about what needs attention. Without them, its English messages have to do. */
export async function readStatus({ client }: Pick<ScreenContext, 'client'>, options: RequestOptions): Promise<ServiceStatus> {
  const status = await client.admin.status(options)
  if (status.attention.length > 0) await addTexts(SENTENCES).catch(() => {})
  return status
}

/** What the service found; what has no place of its own leads to `elsewhere`. */
export function foundByService(found: Attention, elsewhere?: string): AttentionItem {
  return { href: PLACE_OF[found.kind] ?? elsewhere, words: [t(`attention.${found.kind}`), h('span', { class: 'soft' }, sentence(found))] }
}

/** A sentence from the code, and what no language has one for: a path, or what another program said. */
function sentence({ code, params, message }: Attention): Child {
  const asIs = (text: string): HTMLElement => h('span', { lang: 'en', dir: 'auto' }, text)
  const { count, total, bytes = 0, limit = 0, ms = 0, at = '', name = '', detail } = params
  const values = { count: Number(count), total: Number(total), name, at: dateTimeText(at) }
  const sizes = { bytes: byteSize(Number(bytes)), limit: byteSize(Number(limit)), ms: duration(Number(ms)) }
  const text = textOr(`concern.${code}`, '', { ...values, ...sizes })
  if (text === '') return asIs(message)
  return detail === undefined ? text : [text, ' ', asIs(detail)]
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
