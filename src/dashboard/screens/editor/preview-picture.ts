/**
 * The picture in the preview: drawn as a letter until the reader wants to see it, and then fetched. One that cannot be shown is
 * told before the document is published.
 */
import { labelOf, type Members } from '../../any-documents.ts'
import { arePicturesShown, isOwnPicture, mayShowPictures, maySwitchPictures, pictureUrl, showPictures } from '../../pictures.ts'
import { t } from '../../texts.ts'
import { after, debounce } from '../../timing.ts'
import { button, fill, h, webUrl, type Child } from '../../kit/dom.ts'
import { keepFocus } from '../../kit/focus.ts'
import { picture, type PictureProblem } from '../../kit/picture.ts'

/** A URL that is being typed is not fetched letter by letter. */
const TYPING_MS = 600
/** A host that has not sent the picture by then keeps readers of the app waiting as well. */
const SLOW_MS = 15_000

export function previewPicture(field: string, signal: AbortSignal) {
  const letter = h('span', { class: 'tile-letter', 'aria-hidden': 'true' })
  const host = h('span', { class: 'tile-host' })
  const place = h('div', { class: 'tile-picture' })
  const element = h('div', { class: 'tile' }, letter, host, place)
  const problem = h('p', { class: 'field-problem', role: 'status' })
  /** The host that the reader has agreed to ask: when another user changes the picture, it may be another one. */
  let agreed: string | undefined
  let text: string | undefined
  let url: string | undefined
  let stopWaiting = (): void => {}
  const later = debounce(TYPING_MS, draw)
  signal.addEventListener('abort', () => {
    later.cancel()
    stopWaiting()
  })

  function draw(): void {
    stopWaiting()
    const from = url
    if (from === undefined) {
      fill(place)
      const isOther = mayShowPictures() && webUrl(text ?? '') !== undefined
      fill(problem, isOther && t('picture.notHttps'))
    } else if (isOwnPicture(from) || arePicturesShown() || new URL(from).host === agreed) fetchPicture(from)
    else if (mayShowPictures()) keepFocus(place, () => fill(place, offer(from)))
  }

  function offer(from: string): Child {
    const show = (isAlways: boolean) => () => {
      if (isAlways) showPictures(true)
      agreed = new URL(from).host
      draw()
    }
    return h(
      'div',
      { class: 'tile-offer' },
      button(t('picture.show'), show(false), { class: 'small' }),
      maySwitchPictures() && button(t('picture.always'), show(true), { class: 'plain small' }),
    )
  }

  function fetchPicture(from: string): void {
    const tell = (what: PictureProblem | 'slow'): void => {
      stopWaiting()
      fill(problem, t(`picture.${what}`))
      if (what !== 'slow') fill(place)
    }
    const shown = picture({
      url: from,
      isLazy: false,
      onShown() {
        stopWaiting()
        fill(problem)
      },
      onProblem: tell,
    })
    keepFocus(place, () => fill(place, shown))
    stopWaiting = after(SLOW_MS, () => tell('slow'))
  }

  return {
    element,
    /** What is wrong with it, where something is. */
    problem,
    update(document: Members): void {
      const [first = ''] = labelOf({ ...document, id: '', status: null }).trim()
      letter.textContent = first.toUpperCase()
      const value = document[field]
      const given = typeof value === 'string' ? value : ''
      if (given === text) return
      const isFirst = text === undefined
      text = given
      url = pictureUrl(document, field)
      const named = webUrl(given)
      element.classList.toggle('empty', named === undefined)
      host.textContent = named === undefined ? t('editor.noPicture') : new URL(named).host
      stopWaiting()
      fill(problem)
      fill(place)
      if (isFirst) draw()
      else later()
    },
  }
}
