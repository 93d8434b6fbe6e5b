/** The editor of one document. */
import type { Model } from '../../models/schema.ts'
import { modelsTitle } from '../model-words.ts'
import type { Screen, ScreenContext } from '../screen.ts'
import { h } from '../view/dom.ts'

export function documentEditor(model: Model, _context: ScreenContext): Screen {
  const title = modelsTitle(model)
  return { title, element: h('section', {}, h('h1', {}, title)) }
}
