/** The button that shows pictures in lists, for a reader who may decide. */
import type { Model } from '../../../models/schema.ts'
import { arePicturesShown, maySwitchPictures, pictureField, showPictures } from '../../pictures.ts'
import { t } from '../../texts.ts'
import { button, h } from '../../kit/dom.ts'
import { icon } from '../../kit/icons.ts'

/** Null where there is nothing to decide. */
export function pictureSwitch(model: Model, onChange: () => void): HTMLElement | null {
  if (!maySwitchPictures() || pictureField(model) === undefined) return null
  const change = (): void => {
    showPictures(!arePicturesShown())
    mark()
    onChange()
  }
  const mark = (): void => element.setAttribute('aria-pressed', String(arePicturesShown()))
  const element = button([icon('picture'), h('span', {}, t('list.pictures'))], change)
  mark()
  return element
}
