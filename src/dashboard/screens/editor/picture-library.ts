/** Pictures that the site has already: the newest, those that no document names, or those of headlines that are searched for. */
import type { Client } from '../../../client/client.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, fill, h, type Child } from '../../kit/dom.ts'
import { labelled, problemLine, searchInput } from '../../kit/elements.ts'
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
  const more = button(t('picture.more'), () => void add(), { hidden: true })
  let cursor: string | null = null

  const look = debouncedRequest(SEARCH_MS, signal, async (current) => {
    cursor = null
    const found = search.value.trim() === '' ? await page(current) : await ofHeadlines(search.value, current)
    if (!current.aborted) show(found, fill(grid))
  })
  const body = [h('div', { class: 'buttons' }, labelled(t('picture.search'), search), h('label', { class: 'tick' }, unused, t('picture.unused'))), problem, grid, more]
  const dialog = openDialog({ title: t('picture.title'), body, wide: true })
  look.now()
  await dialog.closed

  async function page(current: AbortSignal): Promise<readonly Shown[]> {
    const query = { limit: PAGE, ...(cursor !== null && { cursor }), ...(unused.checked && { unused: true }) }
    const found = await orProblem(() => client.admin.pictures(query, { signal: current }), current)
    cursor = found?.cursor ?? null
    return found?.items.map(({ url, alt, width, height }) => ({ url, title: alt || `${width} × ${height}` })) ?? []
  }

  async function ofHeadlines(text: string, current: AbortSignal): Promise<readonly Shown[]> {
    const query = { search: text, limit: 100, fields: 'title,imageUrl' }
    const found = await orProblem(() => client.data('headline').list(query, { signal: current }), current)
    const urls = new Map<string, Shown>()
    for (const { imageUrl, title } of found?.items ?? []) {
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
    show(await page(signal), grid)
  }

  function show(found: readonly Shown[], into: HTMLElement): void {
    for (const one of found) into.append(h('li', {}, choice(one)))
    more.hidden = cursor === null
    if (into.childElementCount === 0 && cursor === null) fill(problem, t('picture.none'))
  }

  function choice({ url, title }: Shown): Child {
    const from = ownPicture(url)
    const choose = button('', () => {
      dialog.close()
      use(url)
    }, { 'aria-label': title, title })
    if (from !== undefined) choose.append(picture({ url: from, isLazy: true, onProblem: () => fill(choose, title) }))
    return choose
  }
}
