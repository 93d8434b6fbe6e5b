/** The two sides of an editor: the form, and the history of the document, which is read when it is opened. */
import { mergeQuery } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { historyPanel, type HistoryOptions, type HistoryPanel } from './history-panel.ts'

export interface EditorViewsOptions {
  /** What the form is in. */
  readonly form: HTMLElement
  /** Hears which side is shown. */
  readonly onChosen: (isHistory: boolean) => void
  readonly isHistory: boolean
  /** Undefined for a document that is not stored yet. */
  readonly history: () => HistoryOptions | undefined
}

export function editorViews({ form, onChosen, isHistory, history }: EditorViewsOptions) {
  const place = h('div', { hidden: true })
  const names = [t('edit'), t('history.title')]
  const buttons = names.map((name, i) => button(name, () => choose(i === 1)))
  const element = h('div', { class: 'views', role: 'group' }, buttons)
  let panel: HistoryPanel | undefined

  function choose(wanted: boolean): void {
    const options = history()
    const isShown = wanted && options !== undefined
    mergeQuery({ view: isShown ? 'history' : '' })
    for (const [i, one] of buttons.entries()) one.setAttribute('aria-pressed', String((i === 1) === isShown))
    form.hidden = isShown
    onChosen(isShown)
    place.hidden = !isShown
    if (!isShown || panel !== undefined) return panel?.refresh()
    panel = historyPanel(options)
    fill(place, panel.element)
  }

  return {
    element,
    place,
    /** After the document was stored. */
    draw(): void {
      element.hidden = history() === undefined
      panel?.refresh()
    },
    begin: (): void => choose(isHistory),
  }
}
