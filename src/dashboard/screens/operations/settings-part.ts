/** The settings that can be changed, in groups, and below them all settings in use, to be searched. Secrets arrive masked. */
import type { ServiceSettings } from '../../../models/responses.ts'
import { EDITABLE, EDITABLE_GROUPS, EDITABLE_NAMES } from '../../../models/editable-settings.ts'
import { hrefTo, mergeQuery } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { fill, h } from '../../kit/dom.ts'
import { card, code, searchInput } from '../../kit/elements.ts'
import { notify } from '../../kit/notices.ts'
import { emptyState } from '../../kit/states.ts'
import { readInto } from '../../kit/read-into.ts'
import type { OpenPart, PartContext } from './part.ts'
import { recordsTable } from './records-table.ts'
import { settingsForm } from './settings-form.ts'
import { settingsWith } from './settings-search.ts'

export const settingsPart: OpenPart = (context) => {
  let settings: ServiceSettings = { items: [], version: '' }
  const content = h('div', { class: 'part' })
  const all = h('div')
  const search = searchInput({
    'aria-label': t('settings.search'),
    placeholder: t('settings.search'),
    value: context.screenUrl.query.get('q') ?? '',
    on: {
      input() {
        mergeQuery({ q: search.value.trim() })
        fill(all, table())
      },
    },
  })
  const table = (): HTMLElement => {
    const found = settingsWith(settings.items, search.value)
    return found.length === 0 ? emptyState('search', t('settings.none', { text: search.value.trim() })) : show(found)
  }
  const draw = (found: ServiceSettings) => {
    settings = found
    fill(all, table())
    const trail = h('a', { href: hrefTo(['operations'], { part: 'audit', event: 'settings.changed' }) }, t('settings.history'))
    return [
      h('p', { class: 'soft' }, t('settings.atOnce'), ' ', trail),
      h('div', { class: 'setting-groups' }, groups(found, context, (next) => fill(content, draw(next)))),
      h('h3', {}, t('settings.all')),
      h('div', { class: 'part-tools' }, search),
      all,
    ]
  }
  readInto(context, { element: content, lines: [4, 8, 4], read: (options) => context.client.admin.settings(options), show: draw })
  return { element: content, search }
}

function groups(settings: ServiceSettings, context: PartContext, again: (next: ServiceSettings) => void): readonly HTMLElement[] {
  return EDITABLE_GROUPS.map((group) =>
    card(
      h('h3', {}, t(`settingGroup.${group}`)),
      settingsForm({
        ...{ context, settings },
        names: EDITABLE_NAMES.filter((name) => EDITABLE[name].group === group),
        save: t('save'),
        onSaved(next) {
          notify(t('settings.saved'), { kind: 'done' })
          again(next)
        },
      }),
    ),
  )
}

function show(items: ServiceSettings['items']): HTMLElement {
  return recordsTable(
    t('operations.settings'),
    [
      { title: t('settings.setting'), kind: 'code', cell: ({ flag, name }) => code(flag ?? name) },
      { title: t('settings.value'), kind: 'code', cell: ({ value }) => code(value) },
      {
        title: t('settings.origin'),
        cell: ({ origin }) =>
          origin === 'default' ? h('span', { class: 'soft' }, t('settings.default')) : code(origin),
      },
      { title: t('settings.meaning'), cell: ({ meaning }) => h('span', { lang: 'en', dir: 'ltr' }, meaning) },
    ],
    items,
  )
}
