/** The options of a combobox: which of them is active, and the words that stand there when there are none. */
import { isMembers, labelOf, type Members, type StoredDocument } from '../../any-documents.ts'
import { valueTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { fill, h, setAttributes, type Child } from '../dom.ts'
import { tag } from '../elements.ts'
import { icon } from '../icons.ts'

/** What stands behind the documents: makes another one. */
export interface Offer {
  readonly label: string
  run(): void
}

/** `input` has the role combobox and keeps the focus; its id begins those of the options. */
export function optionList(input: HTMLInputElement, label: string, choose: (document: StoredDocument) => void) {
  const id = `${input.id}-list`
  const element = h('ul', { id, class: 'picker-list', role: 'listbox', 'aria-label': label, hidden: true })
  let found: readonly StoredDocument[] = []
  let offer: Offer | undefined
  let active = -1
  setAttributes(input, { 'aria-controls': id })

  function draw(words: string): void {
    fill(element, found.length === 0 && h('li', { class: 'soft', role: 'presentation' }, words), found.map(documentOption), offer !== undefined && option(found.length, offer.run, icon('plus'), h('span', { dir: 'auto' }, offer.label)))
    setAttributes(input, { 'aria-activedescendant': active !== -1 && `${id}-${active}` })
    element.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' })
  }

  function documentOption(document: StoredDocument, i: number): HTMLElement {
    const { status } = document
    const isOther = status !== undefined && status !== 'active'
    return option(i, () => choose(document), h('span', { dir: 'auto' }, labelOf(document)), secondLine(document), isOther && tag('', valueTitle(String(status))))
  }

  function option(i: number, run: () => void, ...content: readonly Child[]): HTMLElement {
    // Before the input loses the focus, which closes the list.
    const mousedown = (event: Event): void => {
      event.preventDefault()
      run()
    }
    return h('li', { id: `${id}-${i}`, role: 'option', 'aria-selected': String(i === active), on: { mousedown } }, content)
  }

  return {
    element,
    /** Chooses the active option. */
    take(): void {
      const document = found[active]
      if (document !== undefined) choose(document)
      else if (active === found.length) offer?.run()
    },
    /** Replaces the options; the first one becomes active. */
    put(documents: readonly StoredDocument[], words: string, offered?: Offer): void {
      ;[found, offer] = [documents, offered]
      active = found.length > 0 || offer !== undefined ? 0 : -1
      draw(words)
    },
    move(step: number): void {
      const last = found.length - (offer === undefined ? 1 : 0)
      if (last < 0) return
      active = Math.max(0, Math.min(last, active + step))
      draw(t('list.nothing'))
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
