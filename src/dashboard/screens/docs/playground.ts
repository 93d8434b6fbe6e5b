/**
 * Filters on the reader's own data: the documents that match, and the plan of the query.
 *
 * Each change sends a query after a pause and aborts the one before it. The URL holds the state, so that a filter can
 * be shared: another reader sees their own data with it.
 */
import type { Json, ListQuery, Page } from '../../../client/client.ts'
import type { QueryPlan } from '../../../models/responses.ts'
import { isMembers, labelOf } from '../../any-documents.ts'
import { parseExactly } from '../../exact-json.ts'
import { hrefTo, readScreenUrl } from '../../screen-url.ts'
import { debounce } from '../../timing.ts'
import { button, fill, h, setAttributes, type Child } from '../../kit/dom.ts'
import type { DocsSession, DocsUser } from './docs-session.ts'
import { docsText, inOwnLanguage } from './docs-texts.ts'
import { jsonMistake } from './json-mistake-text.ts'
import { fold, longText } from './response-view.ts'

const TYPING_MS = 350
/** Longer values stay out of the URL, which chats and mails would cut. */
const SHARED_CHARS_MAX = 8_000

/** The page has the form and the examples. */
export function setUpPlayground(section: HTMLElement, session: DocsSession): void {
  const [form, problem, result, status] = ['form', '.field-problem', '.result', 'p[role="status"]'].map((selector) =>
    section.querySelector(selector),
  ) as [HTMLFormElement, HTMLElement, HTMLElement, HTMLElement]
  const fields = form.elements as unknown as PlaygroundFields
  const { model, filter, sort } = fields
  const examples = [...section.querySelectorAll<HTMLButtonElement>('[data-filter]')]
  let current = new AbortController()
  let isSeen = false
  let email: string | undefined

  const run = async (): Promise<void> => {
    later.cancel()
    current.abort()
    result.removeAttribute('aria-busy')
    for (const one of examples) one.hidden = one.dataset['models']?.split(' ').includes(model.value) !== true
    const user = session.user()
    if (!filterIsJson(filter, problem) || !isSeen || user === undefined) return
    const { signal } = (current = new AbortController())
    result.setAttribute('aria-busy', 'true')
    try {
      const { items, hasMore, plan } = await queryData(user, fields, signal)
      const documents = docsText('docs.documents', { count: items.length })
      const count = hasMore ? docsText('docs.andMore', { documents }) : documents
      fill(inOwnLanguage(result), resultView(items, count), h('div', {}, h('h3', {}, docsText('docs.plan')), plan))
      fill(inOwnLanguage(status), count)
    } catch (error) {
      if (signal.aborted) return
      fill(result, h('p', { class: 'field-problem', role: 'alert', lang: 'en', dir: 'ltr' }, messageOf(error)))
    }
    result.removeAttribute('aria-busy')
  }
  const share = (): void => {
    history.replaceState(null, '', hrefTo(['playground'], valuesToShare(fields)))
    void run()
  }
  const later = debounce(TYPING_MS, share)
  const load = (): void => {
    // A change that waits would take the reader back here.
    later.cancel()
    const { segments, query } = readScreenUrl(location.hash)
    if (segments[0] !== 'playground' || query.size === 0) return
    fillFields(fields, query)
    void run()
  }

  const edit = (): void => {
    current.abort()
    result.setAttribute('aria-busy', 'true')
    filterIsJson(filter, problem)
    later()
  }
  form.addEventListener('input', edit)
  model.addEventListener('change', edit)
  form.addEventListener('submit', (event) => event.preventDefault())
  for (const one of examples) {
    one.addEventListener('click', () => {
      filter.value = one.dataset['filter'] ?? ''
      sort.value = one.dataset['sort'] ?? ''
      share()
    })
  }
  addEventListener('hashchange', load)
  session.onChange(() => {
    if (session.user()?.email !== email) void run()
    email = session.user()?.email
  })
  // A reader of other sections asked for no list.
  new IntersectionObserver((entries, observer) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    isSeen = true
    void run()
  }).observe(section)
  load()
  void run()
}

interface PlaygroundFields {
  readonly model: HTMLSelectElement
  readonly filter: HTMLTextAreaElement
  readonly sort: HTMLInputElement
  readonly limit: HTMLInputElement
}

/** Says where the filter is no JSON. */
function filterIsJson(filter: HTMLTextAreaElement, problem: HTMLElement): boolean {
  const mistake = filter.value.trim() === '' ? undefined : jsonMistake(filter.value)
  setAttributes(filter, { 'aria-invalid': mistake === undefined ? null : 'true' })
  fill(inOwnLanguage(problem))
  if (mistake === undefined) return true
  const goThere = (): void => {
    filter.focus()
    filter.setSelectionRange(mistake.at, mistake.at + 1)
  }
  fill(problem, `${mistake.message}. `, button(docsText('docs.goThere'), goThere, { class: 'link' }))
  return false
}

/** Shows what a URL says; what is not there, or no model or limit of the form, becomes the default. */
function fillFields({ model, filter, sort, limit }: PlaygroundFields, query: URLSearchParams): void {
  model.selectedIndex = Math.max(0, [...model.options].findIndex(({ value }) => value === query.get('model')))
  for (const field of [filter, sort]) field.value = (query.get(field.name) ?? '').slice(0, SHARED_CHARS_MAX)
  const wanted = Number(query.get('limit'))
  limit.value = Number.isInteger(wanted) ? String(wanted) : ''
  if (!limit.checkValidity()) limit.value = limit.defaultValue
}

function valuesToShare({ model, filter, sort, limit }: PlaygroundFields): Readonly<Record<string, string>> {
  const values = [model, filter, sort, limit].map(({ name, value }) => [name, value.slice(0, SHARED_CHARS_MAX)])
  return Object.fromEntries(values) as Readonly<Record<string, string>>
}

interface QueryResult {
  readonly items: readonly Json[]
  readonly hasMore: boolean
  readonly plan: Child
}

/** Sends for the list and then for its plan: a rejected list needs none. Throws when the signal aborts it. */
async function queryData({ client, role }: DocsUser, fields: PlaygroundFields, signal: AbortSignal): Promise<QueryResult> {
  const [filter, sort] = [fields.filter.value.trim(), fields.sort.value.trim()]
  const query: ListQuery = {
    ...(filter === '' ? {} : { filter: parseExactly(filter) as NonNullable<ListQuery['filter']> }),
    ...(sort === '' ? {} : { sort }),
    limit: fields.limit.valueAsNumber || Number(fields.limit.defaultValue),
  }
  // The model is one of the page's; its documents are shown as JSON, whatever they are.
  const documents = client.data(fields.model.value as 'headline')
  const { items, hasMore } = (await documents.list(query, { signal })) as Page<Json>
  const inEnglish = (...shown: readonly Child[]): Child => h('div', { lang: 'en', dir: 'ltr' }, shown)
  const paragraph = (text: string): Child => h('p', { class: 'soft' }, text)
  if (role === 'none') return { items, hasMore, plan: paragraph(docsText('docs.planFor')) }
  const plan = await documents.explain(query, { signal }).then(planShown).catch((error: unknown) => paragraph(messageOf(error)))
  signal.throwIfAborted()
  return { items, hasMore, plan: inEnglish(plan) }
}

/** By a script of its own, for those who see plans. */
async function planShown(plan: QueryPlan): Promise<Child> {
  const { planView } = await import('./plan-view.ts')
  return planView(plan)
}

function resultView(items: readonly Json[], count: string): Child {
  return h(
    'div',
    {},
    h('h3', {}, count),
    items.length === 0 && h('p', { class: 'soft' }, docsText('docs.noMatch')),
    items.map((item) => {
      const title = h('bdi', {}, isMembers(item) ? labelOf(item) : String(item))
      return fold(title, longText(JSON.stringify(item, null, 2), docsText('docs.document')))
    }),
  )
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
