/**
 * The settings, grouped by what an administrator wants to do. Below them, behind one line, are those that only the operator sets
 * where the service is started. A search narrows both. Secrets arrive masked.
 */
import type { ServiceSettings } from '../../../models/responses.ts'
import { EDITABLE, EDITABLE_GROUPS, EDITABLE_NAMES } from '../../../models/editable-settings.ts'
import { hrefTo, mergeQuery } from '../../screen-url.ts'
import { numberText, t } from '../../texts.ts'
import { fill, h } from '../../kit/dom.ts'
import { card, code, searchInput } from '../../kit/elements.ts'
import { keepFocus } from '../../kit/focus.ts'
import { notify } from '../../kit/notices.ts'
import { emptyState } from '../../kit/states.ts'
import { readInto } from '../../kit/read-into.ts'
import type { OpenPart } from './part.ts'
import { recordsTable } from '../../kit/table/records-table.ts'
import { settingTitle } from './setting-fields.ts'
import { settingsForm } from './settings-form.ts'
import { settingsWith } from './settings-search.ts'

type Group = (typeof EDITABLE_GROUPS)[number]
type Items = ServiceSettings['items']
type SettingsForms = Partial<Record<Group, ReturnType<typeof settingsForm>>>

export const settingsPart: OpenPart = (context) => {
  const { query } = context.screenUrl
  let wanted = EDITABLE_GROUPS.find((one) => one === query.get('group'))
  let narrow = (): void => {}
  /** The forms that stand there. */
  let forms: SettingsForms = {}
  const content = h('div', { class: 'part settings' })
  const search = searchInput({
    'aria-label': t('settings.search'),
    placeholder: t('settings.search'),
    value: query.get('q') ?? '',
    on: {
      input() {
        mergeQuery({ q: search.value.trim(), group: '' })
        narrow()
      },
    },
  })

  function draw(read: ServiceSettings): readonly HTMLElement[] {
    let latest = read
    forms = {}
    const groups = EDITABLE_GROUPS.map(drawn)
    const none = h('div')
    const all = h('div')
    const count = h('span', { class: 'soft' })
    const flags = h(
      'details',
      { class: 'all-settings' },
      h('summary', {}, h('h3', {}, t('settings.all')), count),
      h('p', { class: 'soft' }, t('settings.allAbout')),
      all,
    )
    const links = EDITABLE_GROUPS.map(groupLink)

    /** Another group, in which something is typed, stays as it is. */
    function drawn(group: Group, i: number): HTMLElement {
      const form = settingsForm({
        ...{ context, settings: latest, save: t('save') },
        names: EDITABLE_NAMES.filter((name) => EDITABLE[name].group === group),
        version: () => latest.version,
        onSaved(next) {
          latest = next
          notify(t('settings.saved'), { kind: 'done' })
          const old = groups[i]
          keepFocus(content, () => old?.replaceWith((groups[i] = drawn(group, i))), () => focusGroup(group))
          narrow()
        },
      })
      forms[group] = form
      return groupCard(group, form.element)
    }

    narrow = () => {
      const text = search.value.trim()
      const found = settingsWith(latest.items, text, wordsOf)
      for (const [i, group] of EDITABLE_GROUPS.entries()) {
        const isFound = found.some(({ edit }) => edit?.group === group)
        for (const one of [groups[i], links[i]]) one?.toggleAttribute('hidden', !isFound)
      }
      fill(all, found.length > 0 && table(found))
      fill(count, numberText(found.length))
      flags.hidden = found.length === 0
      // What only the operator sets is found nowhere else.
      flags.open = text !== '' && found.length > 0 && found.every(({ edit }) => edit === null)
      fill(none, found.length === 0 && emptyState('search', t('settings.none', { text })))
    }
    narrow()
    if (wanted !== undefined) queueMicrotask(goToWanted)
    const trail = h('a', { href: hrefTo(['operations'], { part: 'audit', event: 'settings.changed' }) }, t('settings.history'))
    return [
      h(
        'div',
        { class: 'settings-page' },
        h('div', { class: 'part-tools' }, search, h('p', { class: 'soft' }, t('settings.atOnce'), ' ', trail)),
        h('div', { class: 'setting-links', role: 'navigation', 'aria-label': t('settings.contents') }, h('ul', {}, links)),
        h('div', { class: 'part setting-groups' }, groups, none, flags),
      ),
    ]
  }

  /** Once it stands in the page. */
  function goToWanted(): void {
    if (wanted !== undefined) goToGroup(wanted)
    wanted = undefined
  }

  readInto(context, { element: content, lines: [4, 8, 4], read: (options) => context.client.admin.settings(options), show: draw })
  return { element: content, search, hasUnsaved: () => Object.values(forms).some(({ isChanged }) => isChanged()) }
}

function groupLink(group: Group): HTMLElement {
  const href = hrefTo(['operations'], { part: 'settings', group })
  const go = (event: MouseEvent): void => {
    event.preventDefault()
    mergeQuery({ group })
    goToGroup(group)
  }
  return h('li', {}, h('a', { href, on: { click: go } }, t(`settingGroup.${group}`)))
}

function groupId(group: Group): string {
  return `settings-${group}`
}

function goToGroup(group: Group): void {
  document.getElementById(groupId(group))?.scrollIntoView()
  focusGroup(group)
}

/** The next Tab goes to its first setting. */
function focusGroup(group: Group): void {
  document.getElementById(groupId(group))?.focus({ preventScroll: true })
}

function groupCard(group: Group, form: HTMLElement): HTMLElement {
  return card(
    h('h3', { id: groupId(group), tabindex: '-1' }, t(`settingGroup.${group}`)),
    h('p', { class: 'soft' }, t(`settingGroupAbout.${group}`)),
    form,
  )
}

/** The words of the page about a setting, in which it is found as well. */
function wordsOf({ name, edit }: Items[number]): string {
  return edit === null ? '' : `${settingTitle(name)}\n${t(`settingGroup.${edit.group}`)}`
}

function table(items: Items): HTMLElement {
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
      { title: t('field.description'), cell: ({ meaning }) => h('span', { lang: 'en', dir: 'ltr' }, meaning) },
    ],
    items,
  )
}
