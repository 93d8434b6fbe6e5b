/** What an administrator should look at: what it is about in the reader's language, and the service's own words. */
import type { ServiceStatus } from '../../models/replies.ts'
import { t } from '../texts/texts.ts'
import { h, type Child } from './dom.ts'
import { icon } from './icons.ts'

type Attention = ServiceStatus['attention'][number]

/** The part of the operations screen where something can be done about it. */
export const PART_OF: { readonly [kind in Attention['kind']]?: string } = { mail: 'outbox', backups: 'backups' }

export function attentionWords({ kind, message }: Attention): Child {
  const about = h('span', { class: 'soft', lang: 'en', dir: 'auto' }, message)
  return [icon('warning'), h('span', {}, t(`attention.${kind}`), about)]
}
