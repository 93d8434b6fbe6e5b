/** The options of a combobox: which of them is active, and the words that stand there when there are none. */
import { isMembers, labelOf, type Members, type StoredDocument } from '../../any-documents.ts'
import { valueTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { fill, h, setAttributes } from '../dom.ts'

/** `input` has the role combobox and keeps the focus; its id begins those of the options. */
export function optionList(input: HTMLInputElement, label: string, choose: (document: StoredDocument) => void) {
  const id = `${input.id}-list`
  const element = h('ul', { id, class: 'picker-list', role: 'listbox', 'aria-label': label, hidden: true })
  let found: readonly StoredDocument[] = []
  let active = -1
  setAttributes(input, { 'aria-controls': id })

  function draw(words: string): void {
    fill(element, found.length === 0 && h('li', { class: 'soft', role: 'presentation' }, words), found.map(option))
    setAttributes(input, { 'aria-activedescendant': active !== -1 && `${id}-${active}` })
    element.children[active]?.scrollIntoView({ block: 'nearest' })
  }

  function option(document: StoredDocument, i: number): HTMLElement {
    const { status } = document
    // Before the input loses the focus, which closes the list.
    const mousedown = (event: Event): void => {
      event.preventDefault()
      choose(document)
    }
    return h(
      'li',
      { id: `${id}-${i}`, role: 'option', 'aria-selected': String(i === active), on: { mousedown } },
      h('span', { dir: 'auto' }, labelOf(document)),
      secondLine(document),
      status !== undefined && status !== 'active' && h('span', { class: 'tag' }, valueTitle(String(status))),
    )
  }

  return {
    element,
    active: () => found[active],
    /** Replaces the options; the first one becomes active. */
    put(documents: readonly StoredDocument[], words = t('list.nothing')): void {
      found = documents
      active = found.length > 0 ? 0 : -1
      draw(words)
    },
    move(step: number): void {
      if (found.length === 0) return
      active = Math.max(0, Math.min(found.length - 1, active + step))
      draw('')
    },
    show(isShown: boolean): void {
      element.hidden = !isShown
      setAttributes(input, { 'aria-expanded': String(isShown) })
      if (!isShown) input.removeAttribute('aria-activedescendant')
    },
  }
}

/** Tells two documents of the same name apart: a code, or where it is. */
function secondLine(document: Members): HTMLElement | null {
  const { code, isoCode, headquarters } = document
  const text = code ?? isoCode ?? (isMembers(headquarters) ? labelOf(headquarters) : undefined)
  return typeof text === 'string' ? h('span', { class: 'soft', dir: 'auto' }, text) : null
}
