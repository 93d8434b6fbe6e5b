/** Pictures in lists, where the reader sees them. */
import type { Model } from '../../../models/schema.ts'
import { labelOf, type StoredDocument } from '../../any-documents.ts'
import { arePicturesShown, pictureField, shownPicture } from '../../pictures.ts'
import { letteredPicture } from '../../kit/lettered-picture.ts'

/** The small picture at the name of a row. Null where none are shown, and for a model that has none. */
export function listPicture(model: Model, document: StoredDocument): HTMLElement | null {
  const field = pictureField(model)
  const url = field === undefined ? undefined : shownPicture(document, field)
  if (field === undefined || (url === undefined && !arePicturesShown())) return null
  return letteredPicture({ kind: field === 'imageUrl' ? 'thumb wide' : 'thumb', name: labelOf(document), url })
}
