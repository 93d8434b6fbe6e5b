/** Pictures that the site has already: the newest, those that no document names, or those that are searched for, by what they show and by headlines. */
import type { Client } from '../../../client/client.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { labelled, problemLine, searchInput } from '../../kit/elements.ts'
import { whileBusy } from '../../kit/focus.ts'
import { picture } from '../../kit/picture.ts'
import { errorText } from '../../kit/states.ts'
import { ownPicture } from '../../pictures.ts'
import { t } from '../../texts.ts'
import { debouncedRequest } from '../../timing.ts'

const PAGE = 24
const SEARCH_MS = 300

interface Library {
  readonly client: Client
  readonly use: (url: string) => void
  readonly signal: AbortSignal
}

interface Shown {
  readonly url: string
  readonly title: string
}

export async function openLibrary({ client, use, signal }: Library): Promise<void> {
  const search = searchInput({ autofocus: true, on: { input: () => look() } })
  const unused = h('input', { type: 'checkbox', on: { change: () => look.now() } })
  const grid = h('ul', { class: 'picture-grid' })
  const problem = problemLine()
  const more: HTMLButtonElement = button(t('picture.more'), () => void whileBusy(more, add), { hidden: true })
  let cursor: string | null = null
  let text = ''
  /** Of the search that is shown. */
  let shownFor = signal

  const look = debouncedRequest(SEARCH_MS, signal, async (current) => {
    cursor = null
    shownFor = current
    text = search.value.trim()
    const [described, titled] = await Promise.all([page(current), text === '' || unused.checked ? [] : ofHeadlines(current)])
    if (current.aborted) return
    fill(grid)
    show(described && titled && [...described, ...titled.filter(({ url }) => !described.some((one) => one.url === url))])
  })
  const body = [h('div', { class: 'buttons picture-search' }, labelled(t('list.search'), search), h('label', { class: 'tick' }, unused, t('picture.unused'))), problem, grid, more]
  const dialog = openDialog({ title: t('picture.title'), body, wide: true })
  look.now()
  await dialog.closed

  /** Undefined where it failed, which is told. */
  async function page(current: AbortSignal): Promise<readonly Shown[] | undefined> {
    const query = { limit: PAGE, search: text, ...(cursor !== null && { cursor }), ...(unused.checked && { unused: true }) }
    const found = await orProblem(() => client.admin.pictures(query, { signal: current }), current)
    if (found === undefined || current.aborted) return undefined
    cursor = found.cursor
    return found.items.map(({ url, alt, width, height }) => ({ url, title: alt || `${width} × ${height}` }))
  }

  async function ofHeadlines(current: AbortSignal): Promise<readonly Shown[] | undefined> {
    const query = { search: text, limit: 100, fields: 'title,imageUrl' }
    const found = await orProblem(() => client.data('headline').list(query, { signal: current }), current)
    if (found === undefined) return undefined
    const urls = new Map<string, Shown>()
    for (const { imageUrl, title } of found.items) {
      if (typeof imageUrl === 'string' && ownPicture(imageUrl) !== undefined) urls.set(imageUrl, { url: imageUrl, title: String(title) })
    }
    return [...urls.values()]
  }

  async function orProblem<T>(work: () => Promise<T>, current: AbortSignal): Promise<T | undefined> {
    fill(problem)
    try {
      return await work()
    } catch (error) {
      if (!current.aborted) fill(problem, errorText(error))
      return undefined
    }
  }

  async function add(): Promise<void> {
    const current = shownFor
    const found = await page(current)
    if (!current.aborted) show(found)
  }

  function show(found: readonly Shown[] | undefined): void {
    for (const one of found ?? []) grid.append(h('li', {}, choice(one)))
    more.hidden = cursor === null
    if (found !== undefined && grid.childElementCount === 0 && cursor === null) fill(problem, t('picture.none'))
  }

  function choice({ url, title }: Shown): Child {
    const from = ownPicture(url)
    const place = h('span', {})
    if (from !== undefined) place.append(picture({ url: from, isLazy: true, onProblem: () => fill(place) }))
    const choose = (): void => {
      dialog.close()
      use(url)
    }
    return button([place, h('bdi', { class: 'field-about' }, title)], choose, { title })
  }
}
