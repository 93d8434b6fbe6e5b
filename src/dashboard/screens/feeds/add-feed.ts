/** A new feed: the address of a feed or a site, what it would bring, whose it is, and how its items arrive. */
import type { Json } from '../../../client/client.ts'
import { feed, type Arrival } from '../../../models/feed-model.ts'
import type { FeedPreview } from '../../../models/responses.ts'
import { documentsOf, isMembers } from '../../any-documents.ts'
import type { Screen, ScreenContext } from '../../screen.ts'
import { FEEDS, goTo, hrefTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import { crumb, problemLine, screenHead, submitForm } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { letteredPicture } from '../../kit/lettered-picture.ts'
import { notify } from '../../kit/notices.ts'
import { errorText, orTell, skeleton } from '../../kit/states.ts'
import { workButton } from '../../kit/work-button.ts'
import { shownPicture } from '../../pictures.ts'
import { feedForm, NEW_MEMBERS } from './feed-form.ts'
import { previewItems, type Chosen } from './preview-items.ts'
import { guessSource, sourceChoice, type SourceGuess } from './source-choice.ts'
import { noteSentence } from './feed-words.ts'

export function addFeedScreen(context: ScreenContext): Screen {
  const { client, screenUrl, signal } = context
  const title = t('feeds.add')
  const address = h('input', {
    ...{ name: 'address', type: 'text', inputmode: 'url', dir: 'ltr', autocomplete: 'off', autocapitalize: 'off', spellcheck: 'false', required: true, maxlength: 2_000 },
    ...{ placeholder: 'harbour.example', value: screenUrl.query.get('address') ?? '', 'aria-describedby': 'feed-address-problem feed-address-about', autofocus: true },
  })
  const problem = problemLine('feed-address-problem')
  const look = h('button', { type: 'submit', class: 'primary' }, icon('search'), t('feeds.look'))
  const body = h('div', { class: 'feed-columns' })
  let current = new AbortController()
  let isUnsaved = false
  signal.addEventListener('abort', () => current.abort())

  async function read(at: string): Promise<void> {
    fill(body, h('div', { class: 'card' }, skeleton(9)))
    await orTell(problem, () => preview(at), (error) => {
      fill(body)
      address.focus()
      return errorText(error)
    })
  }

  /** Another feed of the same site, beside which its others stay to choose from. */
  async function readChosen(at: string, feeds: FeedPreview['feeds']): Promise<void> {
    body.ariaBusy = 'true'
    await orTell(problem, async () => {
      await preview(at, { address: at, feeds })
      body.querySelector<HTMLElement>('.found-feeds input:checked')?.focus()
    })
    body.ariaBusy = null
  }

  /** Shows what the feed at an address would bring, but for what is given. The latest request wins. */
  async function preview(at: string, given: Partial<FeedPreview> = {}): Promise<void> {
    current.abort()
    const { signal: mine } = (current = new AbortController())
    const found = await client.admin.previewFeed({ address: at }, { signal: mine })
    const guess = await guessSource(client, found, mine)
    mine.throwIfAborted()
    show({ ...found, ...given }, guess)
  }

  function show(found: FeedPreview, guess: SourceGuess): void {
    isUnsaved = true
    const list = h('div')
    const failure = problemLine()
    const parts = { client, signal }
    const form = feedForm(NEW_MEMBERS, { title: found.title ?? new URL(found.address).hostname, arrival: 'draft' }, { ...parts, onChange: changed })
    const chosenSource = sourceChoice(guess, { ...parts, onChange: () => changed('') })
    const add = workButton([icon('plus'), t('feeds.add')], () => orTell(failure, store, form.showFailure), { class: 'primary wide' })
    fill(
      body,
      h('section', { class: 'card preview', 'aria-label': t('feeds.preview') }, feedHead(found), choices(found), problemsOf(found), h('h3', {}, t('feeds.newest', { count: found.items.length })), list),
      h('div', { class: 'card form feed-new' }, form.element, chosenSource.element, failure, add),
    )
    draw()
    body.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true })

    function changed(path: string): void {
      if (path === 'country') chosenSource.suggestCountry(form.value()['country'])
      draw()
    }

    function draw(): void {
      fill(list, previewItems(found.items, chosen()))
    }

    function chosen(): Chosen {
      const { topic, country, arrival } = form.value()
      const ofSource = chosenSource.current()
      const given = new Set<'source' | 'topic' | 'country' | 'picture'>()
      if (isMembers(topic)) given.add('topic')
      if (isMembers(country)) given.add('country')
      if (ofSource !== undefined) given.add('source')
      if (hasText(ofSource?.['logoUrl'])) given.add('picture')
      return { given, arrival: arrival as Arrival }
    }

    async function store(): Promise<void> {
      form.showProblems([])
      const source = await chosenSource.settle(signal)
      if (source === undefined) return
      const members = { address: found.address, siteUrl: found.siteUrl ?? '', paused: false, rules: [], retentionDays: null, retentionItems: null, username: '', language: guess.language ?? null }
      const { document } = await documentsOf(client, feed).create({ ...members, ...form.value(), source: { id: source } }, { signal })
      isUnsaved = false
      notify(t('feeds.isAdded', { title: String(document['title']) }), { kind: 'done' })
      goTo(hrefTo([FEEDS, document.id]))
    }
  }

  /** The feeds that the page of a site names. */
  function choices({ feeds, address: shown }: FeedPreview): Child {
    if (feeds.length < 2) return null
    const one = ({ address: at, title: name }: FeedPreview['feeds'][number]): HTMLElement =>
      h(
        'label',
        { class: 'found-feed' },
        h('input', { type: 'radio', name: 'found-feed', checked: at === shown, on: { change: () => void readChosen(at, feeds) } }),
        h('span', {}, h('bdi', {}, name ?? at), name !== null && h('span', { class: 'soft feed-address', dir: 'ltr' }, at)),
      )
    return h('fieldset', { class: 'found-feeds' }, h('legend', {}, t('feeds.found', { count: feeds.length })), feeds.map(one))
  }

  if (address.value !== '') void read(address.value)
  return {
    title,
    element: h(
      'section',
      { class: 'feeds' },
      crumb(hrefTo([FEEDS]), t('models.feed')),
      screenHead(title),
      submitForm(
        { class: 'card feed-address-form', novalidate: true },
        () => void (address.value.trim() === '' ? fill(problem, t('feeds.noAddress')) : whileBusy(look, () => read(address.value.trim()))),
        h('label', { class: 'field' }, h('span', {}, t('feeds.address')), address),
        look,
        h('p', { id: 'feed-address-about', class: 'field-about' }, t('feeds.addressAbout')),
        problem,
      ),
      body,
    ),
    hasUnsaved: () => isUnsaved,
  }
}

function feedHead({ title, description, address, language, imageUrl, format, total }: FeedPreview): Child {
  const name = title ?? new URL(address).hostname
  const facts = [{ rss: 'RSS', atom: 'Atom', json: 'JSON Feed' }[format], language, t('feeds.total', { count: total })].filter((one) => one !== null)
  return h(
    'header',
    { class: 'preview-head' },
    letteredPicture({ kind: 'story-picture', name, url: shownPicture({ imageUrl }, 'imageUrl'), isLazy: false }),
    h('div', {}, h('h2', { dir: 'auto', tabindex: -1 }, name), h('p', { class: 'soft feed-address', dir: 'ltr' }, address), hasText(description) && h('p', { dir: 'auto' }, description), h('p', { class: 'soft' }, facts.join(' · '))),
  )
}

function problemsOf({ problems }: FeedPreview): Child {
  return problems.length > 0 && h('div', { class: 'banner' }, h('p', {}, t('feeds.problems')), h('ul', {}, problems.map((one) => h('li', { title: one.message }, noteSentence(one)))))
}

function hasText(value: Json | undefined): value is string {
  return typeof value === 'string' && value !== ''
}
