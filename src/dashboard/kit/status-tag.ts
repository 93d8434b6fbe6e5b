/** The publication status of a document: as a word with a colour, and as what gives it to a document. */
import type { Json } from '../../client/client.ts'
import { valueTitle } from '../model-titles.ts'
import type { Members } from '../any-documents.ts'
import { t, textOr } from '../texts.ts'
import { h } from './dom.ts'
import { tag } from './elements.ts'
import { dateTime, shortTime } from './moments.ts'
import type { IconName } from './icons.ts'

const TONES: Readonly<Record<string, string>> = { active: 'good published', draft: 'warn' }
const ICONS: Readonly<Record<string, IconName>> = { active: 'publish', archived: 'archive' }

export function statusTag(status: Json | undefined): HTMLElement | null {
  if (typeof status !== 'string') return null
  return tag(TONES[status], valueTitle(status))
}

/** The status in a cell: of a draft also when it is published, or that it is handed in for review. */
export function statusCell(document: Members): HTMLElement | null {
  if (isPlanned(document)) return h('span', { class: 'planned' }, tag('plan', t('status.scheduled')), shortTime(document.publishAt))
  const { status, handedInAt } = document
  return status === 'draft' && typeof handedInAt === 'string' ? tag('', t('status.handedIn')) : statusTag(status)
}

/** Whether the service publishes it at a time. */
export function isPlanned(document: Members): document is Members & { readonly publishAt: string } {
  return document['status'] === 'draft' && typeof document['publishAt'] === 'string'
}

/** A draft that is published at a time, in the zone of the reader; null for any other document. */
export function scheduledTag(document: Members): HTMLElement | null {
  return isPlanned(document) ? tag('plan', t('status.scheduled'), ' · ', dateTime(document.publishAt)) : null
}

/** The label and the icon of a button that sets a status. */
export function statusAction(status: string): readonly [label: string, icon: IconName] {
  return [textOr(`turn.${status}`, valueTitle(status)), ICONS[status] ?? 'edit']
}
