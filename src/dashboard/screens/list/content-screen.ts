/**
 * A model's documents: the list at `/headlines`, and an editor at `/headlines/new` and `/headlines/ID`. Each is fetched
 * when it is opened.
 */
import type { Model } from '../../../models/schema.ts'
import type { ScreenUrl } from '../../screen-url.ts'
import type { OpenScreen } from '../../screen.ts'
import { withScreenTexts } from '../../texts.ts'
import { loadPictures } from './list-pictures.ts'

export async function contentScreen(model: Model, { segments }: ScreenUrl): Promise<OpenScreen> {
  if (segments[1] === undefined) {
    const [{ documentList }] = await Promise.all([import('./document-list.ts'), loadPictures()])
    return (context) => documentList(model, context)
  }
  const { documentEditor } = await withScreenTexts(import('../editor/document-editor.ts'))
  return (context) => documentEditor(model, context)
}
