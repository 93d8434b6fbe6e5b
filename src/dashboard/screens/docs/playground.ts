/**
 * Filters to play with on the reader's own data: what comes out, and how the service gets there.
 *
 * Each change asks again after a pause; a request that is older than the newest change is ended, and its reply never
 * shown. The state is in the address, so that a filter can be sent to somebody, who sees the own data with it.
 */
import type { Json, ListQuery, Page } from '../../../client/client.ts'
import { parseExactly } from '../../exact-json.ts'
import { hrefTo } from '../../places.ts'
import { debounce } from '../../timing.ts'
import { fill, h, type Child } from '../../kit/dom.ts'
import type { ApiDocument } from './api-document.ts'
import { docsSection } from './docs-section.ts'
import type { DocsSession } from './docs-session.ts'
import { planView } from './plan-view.ts'
import { playgroundForm } from './playground-form.ts'
import { playgroundQuery, readPlayground, type PlaygroundState } from './playground-state.ts'
import { resultView } from './result-view.ts'
import { sessionWords } from './session-words.ts'

const TYPING_MS = 350

export interface Playground {
  readonly element: HTMLElement
  /** Shows what an address says. */
  load(query: URLSearchParams): void
}

export function playground(api: ApiDocument, session: DocsSession): Playground {
  const names = api.models.filter(({ canList }) => canList).map(({ name }) => name)
  const note = h('div', {})
  const result = h('div', { class: 'result' })
  const said = h('p', { class: 'spoken', role: 'status' })
  let current = new AbortController()
  let isSeen = false

  const form = playgroundForm(api, {
    onEdit() {
      current.abort()
      result.classList.add('old')
      result.removeAttribute('aria-busy')
      form.checkFilter()
      later()
    },
    onChoose() {
      noteAddress()
      run()
    },
  })
  const noteAddress = (): void => history.replaceState(null, '', hrefTo(['playground'], playgroundQuery(form.read())))
  const later = debounce(TYPING_MS, () => {
    noteAddress()
    run()
  })

  // Who goes elsewhere meanwhile is not taken back here.
  addEventListener('hashchange', () => later.cancel())

  const run = (): void => {
    later.cancel()
    current.abort()
    if (!form.checkFilter() || !isSeen || typeof session.state() !== 'object') return
    current = new AbortController()
    void show(form.read(), current.signal)
  }

  const show = async (state: PlaygroundState, signal: AbortSignal): Promise<void> => {
    result.setAttribute('aria-busy', 'true')
    try {
      const { items, hasMore, plan } = await ask(session, state, signal)
      fill(result, resultView(items, hasMore), h('div', { class: 'plan' }, h('h3', {}, 'Plan'), plan))
      fill(said, `${items.length} documents${hasMore ? ', and more' : ''}`)
    } catch (error) {
      if (signal.aborted) return
      fill(result, h('p', { class: 'field-problem', role: 'alert' }, wordsOf(error)))
    }
    result.classList.remove('old')
    result.removeAttribute('aria-busy')
  }

  const element = docsSection(
    { segments: ['playground'], title: 'Filter playground', name: 'Filter playground', kind: 'playground' },
    h(
      'p',
      {},
      'Write a filter and see what it finds in your own data, and how the service gets there. The address of this page keeps it, to be shared.',
    ),
    note,
    h('div', { class: 'play' }, form.element, result),
    said,
  )
  form.show(readPlayground(new URLSearchParams(), names))
  let asked = ''
  session.watch((state) => {
    fill(note, typeof state === 'object' ? null : sessionWords(state))
    const email = typeof state === 'object' ? state.email : ''
    if (email !== asked) run()
    asked = email
  })
  // Who reads about something else has asked for no list.
  new IntersectionObserver((seen, observer) => {
    if (!seen.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    isSeen = true
    run()
  }).observe(element)
  return {
    element,
    load(query) {
      form.show(readPlayground(query, names))
      run()
    },
  }
}

interface Answer {
  readonly items: readonly Json[]
  readonly hasMore: boolean
  readonly plan: Child
}

/** Asks for the list and then for its plan: what is refused needs none. Throws when the signal ends it. */
async function ask(session: DocsSession, state: PlaygroundState, signal: AbortSignal): Promise<Answer> {
  const { model, filter, sort, limit } = state
  const query: ListQuery = {
    ...(filter.trim() === '' ? {} : { filter: parseExactly(filter) as NonNullable<ListQuery['filter']> }),
    ...(sort === '' ? {} : { sort }),
    limit,
  }
  // The name is one of the description's; what it stands for is shown as JSON, whatever it is.
  const documents = session.client.data(model as 'headline')
  const { items, hasMore } = (await documents.list(query, { signal })) as Page<Json>
  if (!seesPlans(session))
    return { items, hasMore, plan: h('p', { class: 'soft' }, 'Publishers and administrators see it.') }
  const plan = await documents.explain(query, { signal }).then(planView, (error: unknown) => {
    signal.throwIfAborted()
    return h('p', { class: 'soft' }, wordsOf(error))
  })
  signal.throwIfAborted()
  return { items, hasMore, plan }
}

/** The service says no to all others; they are not made to ask. */
function seesPlans(session: DocsSession): boolean {
  const state = session.state()
  return typeof state === 'object' && state.role !== 'none'
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
