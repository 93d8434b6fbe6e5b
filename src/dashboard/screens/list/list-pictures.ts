/** Pictures in lists, where the reader sees them. Only then is fetched what draws them. */
import type { Model } from '../../../models/schema.ts'
import type { StoredDocument } from '../../any-documents.ts'
import { arePicturesShown, pictureField } from '../../pictures.ts'

let drawing: typeof import('./row-picture.ts') | undefined

/** Resolves when rows can draw them, or need not. */
export async function loadPictures(): Promise<void> {
  if (arePicturesShown()) drawing ??= await import('./row-picture.ts')
}

/** Null where none are shown. */
export function listPicture(model: Model, document: StoredDocument): HTMLElement | null {
  const field = arePicturesShown() ? pictureField(model) : undefined
  return field === undefined || drawing === undefined ? null : drawing.rowPicture(field, document)
}
