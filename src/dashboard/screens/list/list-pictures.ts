/** Pictures in lists, where the reader sees them. */
import type { Model } from '../../../models/schema.ts'
import { labelOf, type StoredDocument } from '../../any-documents.ts'
import { arePicturesShown, isOwnPicture, pictureField, pictureUrl } from '../../pictures.ts'
import { h } from '../../kit/dom.ts'
import { picture } from '../../kit/picture.ts'

/** The small picture at the name of a row, of the size that the styles say, whatever comes of it. Null where none are shown. */
export function listPicture(model: Model, document: StoredDocument): HTMLElement | null {
  const field = pictureField(model)
  const url = field === undefined ? undefined : pictureUrl(document, field)
  if (!arePicturesShown() && (url === undefined || !isOwnPicture(url))) return null
  const [letter = ''] = labelOf(document).trim()
  const element = h('span', { class: field === 'imageUrl' ? 'thumb wide' : 'thumb', 'aria-hidden': 'true' }, letter.toUpperCase())
  if (url !== undefined) {
    const shown = picture({ url, isLazy: true, onProblem: () => shown.remove() })
    element.append(shown)
  }
  return element
}
