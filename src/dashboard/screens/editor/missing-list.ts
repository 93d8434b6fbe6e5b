/** What a draft lacks before it can be published: each a link to its field. */
import { fieldTitle } from '../../model-titles.ts'
import { t } from '../../texts.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { keepFocus } from '../../kit/focus.ts'

export function missingList(focusField: (path: string) => void) {
  const element = h('section', { class: 'missing', 'aria-live': 'polite' })
  let shown = ''
  return {
    element,
    update(paths: readonly string[]): void {
      const names = paths.join()
      if (names === shown) return
      shown = names
      const links = paths.map((path) => button(fieldTitle(path), () => focusField(path), { class: 'small' }))
      keepFocus(element, () => fill(element, paths.length > 0 && [h('h2', {}, t('editor.missing')), h('div', { class: 'buttons' }, links)]))
    },
  }
}
