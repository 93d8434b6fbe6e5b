/** The saved views of a list: opens, renames and deletes them, and saves the list as it stands under a name. */
import type { SavedView } from '../../../models/responses.ts'
import type { Model } from '../../../models/schema.ts'
import { pathOf } from '../../model-titles.ts'
import { currentScreenUrl, hrefTo } from '../../screen-url.ts'
import type { ScreenContext } from '../../screen.ts'
import { t } from '../../texts.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { problemLine, submitForm } from '../../kit/elements.ts'
import { keepFocus, whileBusy } from '../../kit/focus.ts'
import { icon } from '../../kit/icons.ts'
import { notify, notifyFailure } from '../../kit/notices.ts'
import { errorText, isAbort } from '../../kit/states.ts'
import type { ListView } from './list-view.ts'

const NAME_CHARS_MAX = 80
const UNDO_MS = 8_000

export interface ViewsPanelOptions {
  readonly view: Pick<ListView, 'columnChoice' | 'isAt'>
  readonly close: () => void
}

/** What was read last is shown until it is read again. */
let remembered: { readonly userId: string; readonly views: readonly SavedView[] } | undefined

export function viewsPanel(model: Model, { client, user, signal }: ScreenContext, { view, close }: ViewsPanelOptions): HTMLElement {
  const { dashboard } = client
  /** What is typed there stays while the list is drawn again. */
  let renamed: { readonly id: string; readonly element: HTMLElement } | undefined
  let views = remembered?.userId === user.id ? remembered.views : []
  const list = h('ul', { class: 'saved-views' })
  const name = nameInput('', t('views.name'))
  const save = h('button', { type: 'submit', class: 'primary' }, t('views.save'))
  const problem = problemLine()
  const form = submitForm({ class: 'view-form' }, () => void attempt(add), name, save)
  draw()
  void attempt(read)

  async function read(): Promise<void> {
    take((await dashboard.views({ signal })).items)
  }

  function take(next: readonly SavedView[]): void {
    views = next
    remembered = { userId: user.id, views }
    draw()
  }

  /** What fails is said in the panel, which may be full of views. */
  async function attempt(work: () => Promise<void>): Promise<void> {
    problem.textContent = ''
    try {
      await work()
    } catch (error) {
      if (!isAbort(error)) problem.textContent = errorText(error)
    }
  }

  async function add(): Promise<void> {
    if (name.value.trim() === '') return name.focus()
    await whileBusy(save, async () => {
      await dashboard.addView({ name: name.value, model: model.name as 'headline', query: queryNow() }, { signal })
      name.value = ''
      await read()
    })
  }

  /** The columns as well where they are the usual ones, which the URL leaves out: the reader may choose others later. */
  function queryNow(): string {
    const { query } = currentScreenUrl()
    if (!query.has('columns')) query.set('columns', view.columnChoice().join())
    return query.toString()
  }

  function draw(): void {
    const own = views.filter((one) => one.model === model.name)
    const rows = own.length === 0 ? h('li', { class: 'soft' }, t('views.none')) : own.map((one) => (one.id === renamed?.id ? renamed.element : row(one)))
    keepFocus(list, () => fill(list, rows), () => name.focus())
  }

  function row(one: SavedView): HTMLElement {
    const query = new URLSearchParams(one.query)
    const link = h('a', { href: hrefTo([pathOf(model)], query), 'data-key': one.id, 'aria-current': view.isAt(query) && 'page', on: { click: close } }, h('bdi', {}, one.name))
    const edit = button(icon('edit'), () => rename(one), { class: 'plain small', 'aria-label': t('views.rename', { name: one.name }) })
    const remove = button(icon('trash'), () => void attempt(() => drop(one)), { class: 'plain small', 'aria-label': t('views.delete', { name: one.name }) })
    return h('li', {}, link, edit, remove)
  }

  function rename(one: SavedView): void {
    const input = nameInput(one.name, t('views.rename', { name: one.name }))
    input.dataset['key'] = one.id
    const change = async (): Promise<void> => {
      const next = input.value.trim()
      if (next !== '' && next !== one.name) await dashboard.replaceView(one.id, { ...one, model: model.name as 'headline', name: next }, { signal })
      renamed = undefined
      await read()
    }
    const element = h('li', {}, submitForm({ class: 'view-form' }, () => void attempt(change), input, h('button', { type: 'submit' }, t('views.save'))))
    element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return
      event.stopPropagation()
      renamed = undefined
      draw()
    })
    renamed = { id: one.id, element }
    draw()
    input.focus()
    input.select()
  }

  async function drop(one: SavedView): Promise<void> {
    await dashboard.removeView(one.id, { signal })
    const back = async (): Promise<void> => {
      await dashboard.addView({ name: one.name, model: model.name as 'headline', query: one.query })
      await read()
    }
    notify(t('views.deleted', { name: one.name }), { kind: 'done', shownMs: UNDO_MS, action: { label: t('undo'), run: () => void back().catch(notifyFailure) } })
    take(views.filter(({ id }) => id !== one.id))
  }

  return h('div', { class: 'views-panel' }, form, problem, list)
}

function nameInput(value: string, label: string): HTMLInputElement {
  return h('input', { type: 'text', value, maxlength: NAME_CHARS_MAX, 'aria-label': label, placeholder: label, autocomplete: 'off', dir: 'auto' })
}
