/** The small picture at the name of a row, of the size that the styles say, whatever comes of it. */
import { labelOf, type StoredDocument } from '../../any-documents.ts'
import { pictureUrl } from '../../pictures.ts'
import { h } from '../../kit/dom.ts'
import { picture } from '../../kit/picture.ts'
import '../../styles/thumb.css'

export function rowPicture(field: string, document: StoredDocument): HTMLElement {
  const url = pictureUrl(document, field)
  const [letter = ''] = labelOf(document).trim()
  const element = h('span', { class: field === 'imageUrl' ? 'thumb wide' : 'thumb', 'aria-hidden': 'true' }, letter.toUpperCase())
  if (url !== undefined) {
    const shown = picture({ url, isLazy: true, onProblem: () => shown.remove() })
    element.append(shown)
  }
  return element
}
