/**
 * The palette: one field to go anywhere, create, find any document and do what can be done, by the pattern of a combobox with a
 * listbox (https://www.w3.org/WAI/ARIA/apg/patterns/combobox/). The focus stays in the field; arrows move among the options.
 */
import { goTo } from '../../screen-url.ts'
import { t } from '../../texts.ts'
import { debouncedRequest } from '../../timing.ts'
import { openDialog } from '../../kit/dialog.ts'
import { fill, h, setAttributes, type Child } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'
import { errorText, isAbort } from '../../kit/states.ts'
import { foundItems, GROUPS, isBeginning, isMatch, knownItems, viewItems, type PaletteItem, type PaletteSources } from './palette-items.ts'

const TYPING_MS = 120
const LIST_ID = 'palette-list'
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }

export interface PaletteOptions extends PaletteSources {
  /** Only offers what the screen can do. */
  readonly isNarrow?: boolean
}

export function openPalette({ isNarrow = false, ...sources }: PaletteOptions): void {
  const title = isNarrow ? t('help.status') : t('palette.title')
  let known = isNarrow ? knownItems({ ...sources, entries: [], account: [] }).filter(({ group }) => group === 'actions') : knownItems(sources)
  const closing = new AbortController()
  const input = h('input', {
    type: 'text',
    role: 'combobox',
    autocomplete: 'off',
    spellcheck: 'false',
    autofocus: true,
    'aria-label': title,
    'aria-expanded': 'true',
    'aria-controls': LIST_ID,
    'aria-autocomplete': 'list',
    placeholder: title,
    on: { input: typed, keydown: onKey },
  })
  const list = paletteList(input, title, (item, isApart) => take(item, isApart))
  let found: readonly PaletteItem[] = []

  const search = debouncedRequest(TYPING_MS, closing.signal, async (current, text: string) => {
    try {
      const items = await foundItems(sources, text, current)
      if (current.aborted) return
      found = items
      list.put(shownFor(text))
    } catch (error) {
      if (!isAbort(error) && !current.aborted) list.put(shownFor(text), errorText(error))
    }
  })

  /** What was found for the text before stays while it matches this one. */
  function typed(): void {
    const text = input.value.trim()
    found = text === '' ? [] : found.filter((item) => isMatch(item.title, text))
    list.put(shownFor(text), text === '' || isNarrow ? undefined : t('palette.searching'))
    if (text === '' || isNarrow) search.cancel()
    else search(text)
  }

  /** What begins with the text stays before documents that come later: Enter does the same for all who type. */
  function shownFor(text: string): readonly PaletteItem[] {
    const matching = known.filter((item) => isMatch(item.title, text))
    const begins = ({ title }: PaletteItem): boolean => text !== '' && isBeginning(title, text)
    const [first, ...others] = GROUPS
    const meant = others.filter((group) => matching.some((item) => item.group === group && begins(item)))
    const all = [...matching.filter(begins), ...matching.filter((item) => !begins(item)), ...found]
    return [...new Set([first, ...meant, ...others])].flatMap((group) => all.filter((item) => item.group === group))
  }

  function onKey(event: KeyboardEvent): void {
    const step = STEPS[event.key]
    if (step !== undefined) list.move(step)
    else if (event.key === 'Enter' && !event.isComposing) list.take(event.ctrlKey || event.metaKey)
    else if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
      event.stopPropagation()
      dialog.close()
    } else return
    event.preventDefault()
  }

  function take({ href, run }: PaletteItem, isApart: boolean): void {
    if (isApart && href !== undefined) return void open(href, '_blank', 'noopener')
    dialog.close()
    if (href === undefined) run?.()
    else goTo(href)
  }

  const element = h('div', { class: 'palette' }, h('div', { class: 'palette-field' }, icon('search'), input), list.element, list.status)
  const dialog = openDialog({ title, body: element })
  const frame = element.closest('dialog')
  frame?.addEventListener('pointerdown', ({ target }) => {
    if (target === frame) dialog.close()
  })
  void dialog.closed.then(() => closing.abort())
  list.put(shownFor(''))
  if (!isNarrow) void addViews()

  /** Without them it does as well. */
  async function addViews(): Promise<void> {
    const views = await viewItems(sources, closing.signal).catch(() => [])
    if (views.length === 0 || closing.signal.aborted) return
    known = [...known, ...views]
    typed()
  }
}

/** The options under the field, and which of them is active. */
function paletteList(input: HTMLInputElement, label: string, choose: (item: PaletteItem, isApart: boolean) => void) {
  const element = h('div', {
    id: LIST_ID,
    class: 'palette-list',
    role: 'listbox',
    tabindex: -1,
    'aria-label': label,
    // The focus stays in the field.
    on: { mousedown: (event) => event.preventDefault() },
  })
  const status = h('p', { class: 'palette-status', role: 'status' })
  let items: readonly PaletteItem[] = []
  let active = -1

  function option(item: PaletteItem, i: number): HTMLElement {
    const { title, detail } = item
    return h(
      'div',
      {
        id: `${LIST_ID}-${i}`,
        class: 'palette-option',
        role: 'option',
        on: {
          // Not when it is only scrolled under the pointer.
          pointermove: () => activate(i),
          click: (event) => choose(item, event.ctrlKey || event.metaKey),
        },
      },
      icon(item.icon),
      h('bdi', {}, title),
      detail !== undefined && h('span', { class: 'soft' }, detail),
    )
  }

  function activate(i: number): void {
    const before = element.querySelector(`#${LIST_ID}-${active}`)
    before?.setAttribute('aria-selected', 'false')
    active = i
    const now = element.querySelector(`#${LIST_ID}-${i}`)
    now?.setAttribute('aria-selected', 'true')
    setAttributes(input, { 'aria-activedescendant': now !== null && now.id })
  }

  return {
    element,
    status,
    /** Shows these; the first is active, unless one with the same title and place was. */
    put(next: readonly PaletteItem[], words?: string): void {
      const before = items[active]
      items = next
      const groups = [...new Set(next.map(({ group }) => group))].map((group): Child => {
        const options = next.flatMap((item, i) => (item.group === group ? [option(item, i)] : []))
        const id = `${LIST_ID}-${group}`
        const heading = h('p', { id, class: 'palette-group', role: 'presentation' }, t(`palette.${group}`))
        return h('div', { role: 'group', 'aria-labelledby': id }, heading, options)
      })
      fill(element, groups)
      for (const one of element.querySelectorAll('[role=option]')) one.setAttribute('aria-selected', 'false')
      const same = next.findIndex(({ title, href }) => before !== undefined && title === before.title && href === before.href)
      activate(active > 0 && same !== -1 ? same : next.length > 0 ? 0 : -1)
      const told = words ?? (next.length === 0 ? t('list.nothing') : t('table.end', { count: next.length }))
      if (status.textContent !== told) fill(status, told)
    },
    move(step: number): void {
      if (items.length === 0) return
      // One step beyond the end begins again; many stop there.
      const to = active + step
      activate(Math.abs(step) === 1 ? (to + items.length) % items.length : Math.max(0, Math.min(items.length - 1, to)))
      element.querySelector(`#${LIST_ID}-${active}`)?.scrollIntoView({ block: 'nearest' })
    },
    take(isApart: boolean): void {
      const item = items[active]
      if (item !== undefined) choose(item, isApart)
    },
  }
}
