/**
 * A model's documents: the list at `/headlines`, and an editor at `/headlines/new` and `/headlines/ID`, which is fetched
 * when it is opened.
 */
import type { Model } from '../../../models/schema.ts'
import type { ScreenUrl } from '../../screen-url.ts'
import type { OpenScreen } from '../../screen.ts'
import { withScreenTexts } from '../../texts.ts'
import { documentList } from './document-list.ts'

export function contentScreen(model: Model, { segments }: ScreenUrl): OpenScreen | Promise<OpenScreen> {
  if (segments[1] === undefined) return (context) => documentList(model, context)
  return editorOf(model)
}

async function editorOf(model: Model): Promise<OpenScreen> {
  const { documentEditor } = await withScreenTexts(import('../editor/document-editor.ts'))
  return (context) => documentEditor(model, context)
}
