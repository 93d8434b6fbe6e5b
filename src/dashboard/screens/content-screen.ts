/** A model's documents: the list at `/headlines`, and an editor at `/headlines/new` and `/headlines/ID`. */
import type { Model } from '../../models/schema.ts'
import type { OpenScreen } from '../screen.ts'
import { documentEditor } from './document-editor.ts'
import { documentList } from './document-list.ts'

export function contentScreen(model: Model): OpenScreen {
  return (context) =>
    context.place.segments[1] === undefined ? documentList(model, context) : documentEditor(model, context)
}
