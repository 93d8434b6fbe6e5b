/** The two sides of an editor: the form, and the history of the document, which is fetched when it is opened. */
import { mergeQuery } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { isUpgraded } from '../../upgrade.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { failureState, skeleton } from '../../kit/states.ts'
import type { HistoryOptions, HistoryPanel } from './history-panel.ts'

export interface EditorViewsOptions {
  /** What the form is in. */
  readonly form: () => HTMLElement
  readonly isHistory: boolean
  /** Undefined for a document that is not stored yet. */
  readonly history: () => HistoryOptions | undefined
}

export function editorViews({ form, isHistory, history }: EditorViewsOptions) {
  const place = h('div', { hidden: true })
  const names = [t('editor.edit'), t('history.title')]
  const buttons = names.map((name, i) => button(name, () => void choose(i === 1)))
  const element = h('div', { class: 'views', role: 'group' }, buttons)
  let panel: HistoryPanel | undefined

  async function choose(wanted: boolean): Promise<void> {
    const options = history()
    const isShown = wanted && options !== undefined
    mergeQuery({ view: isShown ? 'history' : '' })
    for (const [i, one] of buttons.entries()) one.setAttribute('aria-pressed', String((i === 1) === isShown))
    form().hidden = isShown
    place.hidden = !isShown
    if (!isShown || panel !== undefined) return panel?.refresh()
    fill(place, skeleton(6))
    try {
      const { historyPanel } = await import('./history-panel.ts')
      panel = historyPanel(options)
      fill(place, panel.element)
    } catch (error) {
      fill(place, failureState(error, () => void again()))
    }
  }

  /** A reload asks about what is typed. */
  async function again(): Promise<void> {
    if (await isUpgraded()) location.reload()
    else await choose(true)
  }

  return {
    element,
    place,
    /** After the document was stored. */
    draw(): void {
      element.hidden = history() === undefined
      panel?.refresh()
    },
    begin: (): void => void choose(isHistory),
  }
}
