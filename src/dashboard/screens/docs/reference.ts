/** The whole reference: a bar with the search, the contents, and all sections; and going to where the address says. */
import { readPlace } from '../../places.ts'
import { fill, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import type { ApiDocument } from './api-document.ts'
import { contentsList, followReading } from './contents.ts'
import { docsSection, sectionId } from './docs-section.ts'
import type { DocsSession } from './docs-session.ts'
import { searchEntries } from './docs-search.ts'
import { commonCodes } from './error-codes.ts'
import { filtersSection, startSection } from './guide-sections.ts'
import { errorsSection, modelSection, schemaSections } from './model-sections.ts'
import { operationSection } from './operation-section.ts'
import { playground } from './playground.ts'
import { prose } from './prose.ts'
import { searchBox } from './search-box.ts'
import { sessionWords } from './session-words.ts'

export function openReference(api: ApiDocument, session: DocsSession): void {
  const { schemas, tags, operations, models } = api
  const common = commonCodes(api)
  const play = playground(api, session)
  const contents = contentsList(api)
  const who = h('div', { class: 'who' })
  const main = h(
    'main',
    { id: 'content', tabindex: '-1' },
    h('h1', {}, `${api.title} API`, h('span', { class: 'version' }, ` ${api.version}`)),
    startSection(api, session.address),
    play.element,
    tags.map(({ name, about }) => {
      const own = operations.filter(({ tag }) => tag === name)
      if (own.length === 0) return null
      return docsSection(
        { segments: ['tags', name], title: name, name, kind: 'tag-section' },
        about === '' ? null : h('p', {}, prose(`${about}.`)),
        own.map((operation) => operationSection(operation, { schemas, models, common, session })),
      )
    }),
    models.length === 0
      ? null
      : docsSection(
          { segments: ['models'], title: 'Models', name: 'Models', kind: 'tag-section' },
          models.map(modelSection),
        ),
    filtersSection(api),
    errorsSection(api),
    schemaSections(api),
  )
  const menu = h(
    'button',
    {
      type: 'button',
      class: 'plain contents-button',
      'aria-expanded': 'false',
      on: { click: () => showContents(!isOpen()) },
    },
    icon('menu'),
    h('span', {}, 'Contents'),
  )
  const isOpen = (): boolean => menu.getAttribute('aria-expanded') === 'true'
  const showContents = (open: boolean): void => {
    menu.setAttribute('aria-expanded', String(open))
    contents.classList.toggle('open', open)
  }
  contents.addEventListener('click', ({ target }) => {
    if ((target as Element).closest('a') !== null) showContents(false)
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !isOpen()) return
    showContents(false)
    menu.focus()
  })
  fill(
    document.body,
    h('a', { class: 'skip', href: '#/start' }, 'Skip to the content'),
    h(
      'header',
      { class: 'top' },
      h('a', { class: 'brand', href: './' }, 'Dateline'),
      menu,
      searchBox(searchEntries(api)),
      who,
    ),
    h('div', { class: 'page' }, contents, main),
  )
  session.watch((state) => void fill(who, sessionWords(state)))

  const goToPlace = (): void => {
    const { segments, query } = readPlace(location.hash)
    if (segments.length === 0) return
    if (segments[0] === 'playground' && [...query].length > 0) play.load(query)
    const target = document.getElementById(sectionId(segments))
    if (target === null) return
    const fold = target.closest('details')
    if (fold !== null) fold.open = true
    target.scrollIntoView()
    target.querySelector<HTMLElement>('[tabindex="-1"], summary')?.focus({ preventScroll: true })
  }
  addEventListener('hashchange', goToPlace)
  goToPlace()
  followReading(contents, [...main.querySelectorAll('section[id]')].reverse())
}
