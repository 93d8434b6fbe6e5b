/** All feeds with their health; administrators fetch, pause and delete them here. */
import { isAdmin } from '../../../models/caller.ts'
import type { FeedHealth } from '../../../models/responses.ts'
import { isBeingRemoved } from '../../changed-documents.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { FEEDS, hrefTo, mergeQuery } from '../../screen-url.ts'
import { numberText, t } from '../../texts.ts'
import { everySeen } from '../../timing.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { screenHead } from '../../kit/elements.ts'
import { keepFocus } from '../../kit/focus.ts'
import { groupButtons } from '../../kit/group-buttons.ts'
import { icon } from '../../kit/icons.ts'
import { readInto } from '../../kit/read-into.ts'
import { saveFile } from '../../kit/save-file.ts'
import { emptyState, nothingFound } from '../../kit/states.ts'
import { listSearch } from '../../kit/table/list-search.ts'
import { workButton } from '../../kit/work-button.ts'
import { recordsTable } from '../../kit/table/records-table.ts'
import { feedSentence, feedStatusTag, lastFetch, nextFetch } from './feed-words.ts'
import { feedButtons } from './feed-buttons.ts'

/** Fetches change no document, so that nothing tells of them. */
const LOOK_MS = 20_000
/** Rows at first; a site with more searches. */
const SHOWN_MAX = 200

type Group = 'all' | 'working' | 'failing' | 'paused'
const GROUPS: readonly Group[] = ['all', 'failing', 'working', 'paused']

export function feedList(context: ScreenContext): Screen {
  const { client, live, screenUrl, signal, user } = context
  const title = t('models.feed')
  const mayWrite = isAdmin(user)
  let [items, shownMax]: [readonly FeedHealth[], number] = [[], SHOWN_MAX]
  let group = GROUPS.find((one) => one === screenUrl.query.get('status')) ?? 'all'
  const search = listSearch({
    ...{ label: t('feeds.search'), value: screenUrl.query.get('q') ?? '', signal },
    onSearch(text) {
      mergeQuery({ q: text })
      draw()
    },
  })
  const groups = groupButtons({
    ...{ label: t('feeds.groups'), groups: GROUPS, chosen: group },
    titleOf: (one) => t(`feedGroup.${one}`),
    choose(next) {
      group = next
      mergeQuery({ status: next === 'all' ? '' : next })
      draw()
    },
  })
  const rows = h('div', { class: 'part feed-rows' })
  const body = h('div')
  const content = h('div', { class: 'part' }, h('div', { class: 'part-tools feed-tools' }, search, groups.element), rows)
  const { load, refresh } = readInto(context, { element: body, lines: 10, read: (options) => client.admin.feeds(options), show })
  live.watch(refresh, signal)
  everySeen(LOOK_MS, signal, refresh)

  const actions = [
    h('a', { class: 'button', href: hrefTo([FEEDS, 'rules']) }, icon('filter'), t('feeds.sharedRules')),
    workButton([icon('download'), t('feeds.export')], async () => saveFile(await client.admin.feedsAsOpml({ signal }), 'feeds.opml')),
    mayWrite && h('a', { class: 'button', href: hrefTo([FEEDS, 'opml']) }, t('feeds.import')),
    mayWrite && addLink(),
  ]
  return {
    title,
    element: h('section', { class: 'feeds feed-list' }, screenHead(title, h('div', { class: 'buttons' }, actions)), body),
    search,
  }

  function show(found: { readonly items: readonly FeedHealth[] }): Child {
    items = found.items.filter((one) => !isBeingRemoved(one))
    if (items.length === 0) return emptyState('feed', t('feeds.empty'), h('p', {}, t('feeds.about')))
    draw()
    return content
  }

  function draw(): void {
    const words = search.value.trim().toLowerCase()
    const named = items.filter(({ title: name, address }) => `${name} ${address}`.toLowerCase().includes(words))
    const shown = named.filter((one) => isIn(one, group))
    groups.showCounts((one) => named.filter((feed) => isIn(feed, one)).length)
    const more = shown.length - shownMax
    const showAll = (): void => {
      shownMax = Infinity
      draw()
    }
    keepFocus(rows, () =>
      fill(
        rows,
        shown.length === 0 ? nothingFound(clear) : table(shown.slice(0, shownMax)),
        more > 0 && h('div', { class: 'buttons' }, button(t('feeds.showAll', { count: shown.length }), showAll)),
      ),
    )
  }

  function clear(): void {
    search.value = ''
    groups.press((group = 'all'))
    mergeQuery({ q: '', status: '' })
    draw()
  }

  function table(shown: readonly FeedHealth[]): HTMLElement {
    const buttons = new Map(shown.map((one) => [one, mayWrite ? feedButtons(context, one, { changed: load, removed: () => show({ items }) }) : undefined]))
    return recordsTable<FeedHealth>(
      title,
      [
        { title: t('model.feed'), cell: (one) => feedCell(one, buttons.get(one)?.useAddress ?? null) },
        { title: t('feeds.status'), cell: ({ status }) => feedStatusTag(status) },
        { title: t('feeds.last'), cell: lastFetch },
        { title: t('feeds.next'), cell: nextFetch },
        { title: t('feeds.day'), kind: 'number', cell: ({ itemsOfDay }) => numberText(itemsOfDay) },
        ...(mayWrite
          ? [
              {
                title: t('actions'),
                kind: 'actions' as const,
                cell: (one: FeedHealth) => h('div', { class: 'feed-actions' }, buttons.get(one)?.fetch, buttons.get(one)?.pause, buttons.get(one)?.remove),
              },
            ]
          : []),
      ],
      shown,
    )
  }
}

function isIn({ status }: FeedHealth, group: Group): boolean {
  if (group === 'all') return true
  if (group === 'failing') return status === 'failing' || status === 'ended'
  return group === 'working' ? status === 'working' || status === 'new' : status === group
}

function feedCell(one: FeedHealth, remedy: HTMLElement | null): Child {
  return h(
    'div',
    { class: 'feed-name' },
    h('a', { href: hrefTo([FEEDS, one.id]) }, h('bdi', {}, one.title)),
    h('span', { class: 'soft feed-address', dir: 'ltr' }, shortAddress(one.address)),
    feedSentence(one, remedy),
  )
}

/** As people read it: without the scheme. */
function shortAddress(address: string): string {
  return address.replace(/^https?:\/\/(?:www\.)?/, '').replace(/\/$/, '')
}

function addLink(): HTMLElement {
  return h('a', { class: 'button primary', href: hrefTo([FEEDS, 'new']) }, icon('plus'), t('feeds.add'))
}
