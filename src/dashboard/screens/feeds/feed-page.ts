/** One feed: its health, its settings and rules in one form, and what became of its newest items. Publishers read it. */
import { isAdmin } from '../../../models/caller.ts'
import { feed } from '../../../models/feed-model.ts'
import { headline } from '../../../models/headline.ts'
import type { FeedHealth, FeedItems } from '../../../models/responses.ts'
import { documentsOf, type Members, type StoredDocument } from '../../any-documents.ts'
import { pathOf, valueTitle } from '../../model-titles.ts'
import { problemOf } from '../../problem-text.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { FEEDS, goTo, hrefTo } from '../../screen-url.ts'
import { numberText, t } from '../../texts.ts'
import { everySeen } from '../../timing.ts'
import { askToLeave } from '../../kit/dialog.ts'
import { fill, h, webUrl, type Child } from '../../kit/dom.ts'
import { card, crumb, outsideLink, problemLine, tag } from '../../kit/elements.ts'
import { keepFocus } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { ago } from '../../kit/moments.ts'
import { notifyFailure } from '../../kit/notices.ts'
import { readInto } from '../../kit/read-into.ts'
import { saveButton, type SaveButton } from '../../kit/save-button.ts'
import { feedSentence, feedStatusTag, lastFetch, nextFetch, reasonSentences } from './feed-words.ts'
import { FEED_MEMBERS, feedForm } from './feed-form.ts'
import { passwordCard } from './feed-password.ts'
import { feedButtons } from './feed-buttons.ts'
import { rulesEditor } from './rules-editor.ts'

const LOOK_MS = 20_000
const CATEGORIES_MAX = 5
const OUTCOME_TONES: Readonly<Record<string, string>> = { created: 'good', taken: 'good', rejected: 'bad', dropped: 'warn' }

type Item = FeedItems['items'][number]

export function feedPage(context: ScreenContext, id: string): Screen {
  const { client, signal, user } = context
  const documents = documentsOf(client, feed)
  const mayWrite = isAdmin(user)
  const heading = h('h1', { dir: 'auto' }, t('model.feed'))
  const [status, actions, saving] = [h('span', {}), h('div', { class: 'buttons' }), h('div', { class: 'buttons' })]
  const [health, items, body] = [h('div'), h('div'), h('div', { class: 'part' })]
  let save: SaveButton | undefined
  const hasUnsaved = (): boolean => save?.hasUnsaved() === true

  const watched = readInto(context, {
    element: health,
    lines: 3,
    read: async (options) => (await client.admin.feeds(options)).items.find((one) => one.id === id),
    show: (found) => (found === undefined ? null : healthCard(found)),
  })
  const listed = readInto(context, { element: items, lines: 6, read: (options) => client.admin.feedItems(id, options), show: itemList })
  const edited = readInto(context, { element: body, lines: [8, 3], read: (options) => documents.get(id, options), show: ({ document, etag }) => editor(document, etag) })
  everySeen(LOOK_MS, signal, look)

  function look(): void {
    watched.refresh()
    listed.refresh()
  }

  function healthCard(found: FeedHealth): Child {
    const buttons = mayWrite ? feedButtons(context, found, { changed, removed: () => goTo(hrefTo([FEEDS])) }) : undefined
    fill(status, feedStatusTag(found.status))
    keepFocus(actions, () => fill(actions, buttons?.fetch, buttons?.pause, buttons?.remove))
    const fact = (name: string, value: Child): HTMLElement => h('div', {}, h('dt', {}, name), h('dd', {}, value))
    return h(
      'div',
      { class: 'card feed-health' },
      h('dl', {}, fact(t('feeds.last'), lastFetch(found)), fact(t('feeds.next'), nextFetch(found)), fact(t('feeds.day'), numberText(found.itemsOfDay)), found.failures > 0 && fact(t('feeds.failures'), numberText(found.failures))),
      mayWrite && actions,
      feedSentence(found, buttons?.useAddress ?? null),
      found.movedTo !== null && h('p', { class: 'soft' }, t('feeds.movedTo', { address: found.movedTo })),
    )
  }

  /** The document changed by a button: what is typed in the form stays, and its save says so. */
  function changed(): void {
    look()
    if (!hasUnsaved()) edited.load()
  }

  function editor(document: StoredDocument, etag: string | undefined): Child {
    fill(heading, String(document['title']))
    const problem = problemLine()
    const onChange = (): void => save?.changed()
    const form = feedForm(FEED_MEMBERS, document, { client, signal, onChange })
    const rules = rulesEditor(document['rules'], context, { feed: id, onChange, isReadOnly: !mayWrite })
    save = mayWrite ? saveButton({ documents, id, etag, body: members, isComplete: () => !rules.showUnfinished(), onStored, tell, signal }) : undefined
    fill(saving, save?.element)

    function members(): Members {
      form.showProblems([])
      fill(problem)
      return { ...form.value(), rules: rules.value() }
    }

    function onStored(stored: StoredDocument): void {
      fill(heading, String(stored['title']))
      look()
    }

    function tell(error: unknown): void {
      const found = problemOf(error)
      if (found === undefined) notifyFailure(error)
      else if (found.path.startsWith('rules')) rules.showFailure(error)
      else fill(problem, form.showFailure(error))
    }

    return [
      card(h('h2', {}, t('feeds.settings')), h('fieldset', { disabled: !mayWrite }, form.element), problem),
      card(h('h2', {}, t('feeds.rules')), h('p', { class: 'soft about' }, t('rules.aboutFeed')), rules.element),
      mayWrite && passwordCard(context, id, document['username']),
    ]
  }

  return {
    title: t('model.feed'),
    element: h(
      'section',
      { class: 'feeds' },
      crumb(hrefTo([FEEDS]), t('models.feed')),
      h('div', { class: 'screen-head staying' }, h('div', { class: 'flow' }, heading, status), saving),
      h('div', { class: 'part' }, health, h('div', { class: 'feed-columns' }, h('div', { class: 'part feed-editor' }, body), h('section', { class: 'feed-items' }, h('h2', {}, t('feeds.items')), items))),
    ),
    hasUnsaved,
    mayLeave: askToLeave,
    save: () => save?.save(),
  }
}

function itemList({ items }: FeedItems): Child {
  if (items.length === 0) return h('p', { class: 'soft' }, t('feeds.noItems'))
  return h('ol', { class: 'card divided' }, items.map((item) => h('li', {}, itemLines(item))))
}

function itemLines({ title, url, headline: of, categories, outcome, reasons, at }: Item): Child {
  const name = h('bdi', {}, title === '' ? t('untitled') : title)
  const href = webUrl(url)
  // A headline that lacks something is a draft; one whose picture is elsewhere lacks nothing.
  const isDraft = outcome === 'created' && reasons.some(({ code }) => code !== 'picture')
  return [
    h('p', { class: 'item-title' }, of === null ? name : h('a', { href: hrefTo([pathOf(headline), of]) }, name)),
    h(
      'p',
      { class: 'flow item-foot' },
      isDraft ? tag('warn', valueTitle('draft')) : tag(OUTCOME_TONES[outcome], t(`feedOutcome.${outcome}`)),
      h('span', { class: 'soft' }, ago(at)),
      categories.length > 0 && h('bdi', { class: 'soft' }, categories.slice(0, CATEGORIES_MAX).join(', ')),
      href !== undefined && outsideLink(href, [t('feeds.openItem'), ' ', icon('external')]),
    ),
    reasons.length > 0 && h('p', { class: 'soft', dir: 'auto' }, reasonSentences(reasons).join(' ')),
  ]
}
