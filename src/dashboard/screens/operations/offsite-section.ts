/** The places of off-site backups: what each has, how old it is, and why it fails. */
import type { ServiceStatus } from '../../../models/responses.ts'
import { t } from '../../texts.ts'
import { h } from '../../kit/dom.ts'
import { code } from '../../kit/elements.ts'
import { icon } from '../../kit/icons.ts'
import { ago, byteSize } from '../../kit/moments.ts'
import { workButton } from '../../kit/work-button.ts'
import { recordsTable } from '../../kit/table/records-table.ts'

type Place = ServiceStatus['backups']['offsite'][number]

/** `store` stores a snapshot at each place. */
export function offsiteSection(places: readonly Place[], store: () => Promise<void>): HTMLElement {
  const title = h('h3', { id: 'offsite' }, t('offsite.title'))
  const content = places.length === 0 ? h('p', { class: 'soft' }, t('offsite.none')) : [storeButton(store), placeTable(places)]
  return h('section', { 'aria-labelledby': 'offsite' }, title, content)
}

function storeButton(store: () => Promise<void>): HTMLElement {
  return h('div', { class: 'part-tools' }, workButton([icon('plus'), t('offsite.make')], store, { 'data-key': 'offsite' }))
}

function placeTable(places: readonly Place[]): HTMLElement {
  return recordsTable(
    t('offsite.title'),
    [
      { title: t('offsite.place'), kind: 'code', cell: ({ name }) => code(name) },
      { title: t('offsite.snapshot'), cell: ({ snapshot }) => (snapshot === null ? '–' : ago(snapshot.at)) },
      { title: t('backups.size'), kind: 'number', cell: ({ snapshot }) => (snapshot === null ? '–' : byteSize(snapshot.bytes)) },
      { title: t('offsite.changes'), cell: ({ changesAt }) => (changesAt === null ? '–' : ago(changesAt)) },
      { title: t('offsite.waiting'), kind: 'number', cell: ({ waiting }) => String(waiting) },
      { title: t('state'), cell: stateOf },
    ],
    places,
  )
}

function stateOf({ failure, hasGap, provedAt }: Place) {
  if (failure !== null) return [ago(failure.since), ' ', h('span', { lang: 'en', dir: 'auto' }, failure.message)]
  if (hasGap) return t('offsite.gap')
  return provedAt === null ? '–' : [t('offsite.good'), ' ', ago(provedAt)]
}
