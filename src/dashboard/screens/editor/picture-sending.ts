/** Sends a picture: shows it, asks what it shows and what of it must stay in sight, and gives its address. */
import type { Client } from '../../../client/client.ts'
import type { Picture } from '../../../models/responses.ts'
import { openDialog } from '../../kit/dialog.ts'
import { button, fill, h } from '../../kit/dom.ts'
import { labelled, problemLine, submitForm } from '../../kit/elements.ts'
import { errorText } from '../../kit/states.ts'
import { shrinkPicture } from '../../shrunk-picture.ts'
import { t } from '../../texts.ts'

const ALT_CHARS_MAX = 1_000
/** A step of the arrow keys, in hundredths. */
const STEP = 5
const STEPS: Readonly<Record<string, readonly [number, number]>> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }

interface Sending {
  readonly client: Client
  readonly use: (url: string) => void
}

export async function openSending(file: File, { client, use }: Sending): Promise<void> {
  const leaving = new AbortController()
  const place = h('div', { class: 'picture-focus' })
  const alt = h('textarea', { rows: 2, maxlength: ALT_CHARS_MAX, dir: 'auto', autofocus: true })
  const problem = problemLine()
  const progress = h('progress', { hidden: true, 'aria-label': t('picture.sending') })
  const submit = h('button', { type: 'submit', class: 'primary', disabled: true }, t('picture.use'))
  let focus: Picture['focus'] = null
  const form = submitForm(
    {},
    () => void send(),
    place,
    labelled(t('picture.alt'), alt),
    progress,
    problem,
    h('div', { class: 'buttons end' }, button(t('cancel'), () => dialog.close()), submit),
  )
  const dialog = openDialog({ title: t('picture.title'), body: form })
  void dialog.closed.then(() => leaving.abort())

  const shrunk = await shrinkPicture(file)
  submit.disabled = false
  if (shrunk.canvas !== undefined) fill(place, focusPoint(shrunk.canvas, (point) => void (focus = point)), h('p', { class: 'field-about' }, t('picture.focus')))

  async function send(): Promise<void> {
    submit.disabled = true
    progress.hidden = false
    fill(problem)
    try {
      const { signal } = leaving
      const { hash, url } = await client.admin.uploadPicture(shrunk.bytes, { signal })
      const text = alt.value.trim()
      if (text !== '' || focus !== null) await client.admin.describePicture(hash, { alt: text, focus }, { signal })
      dialog.close()
      use(url)
    } catch (error) {
      if (leaving.signal.aborted) return
      fill(problem, errorText(error))
    } finally {
      submit.disabled = false
      progress.hidden = true
    }
  }
}

/** The picture with a mark that a click or the arrow keys move. */
function focusPoint(canvas: HTMLCanvasElement, onMoved: (point: NonNullable<Picture['focus']>) => void): HTMLElement {
  const mark = h('span', { class: 'focus-mark' })
  let [x, y] = [50, 50]
  const move = (toX: number, toY: number): void => {
    ;[x, y] = [toX, toY].map((part) => Math.round(Math.min(100, Math.max(0, part)))) as [number, number]
    mark.style.left = `${x}%`
    mark.style.top = `${y}%`
    onMoved({ x, y })
  }
  const element = button([canvas, mark], () => {}, {
    class: 'focus-point',
    'aria-label': t('picture.focus'),
  })
  element.addEventListener('click', ({ offsetX, offsetY, detail }) => {
    if (detail > 0) move((100 * offsetX) / element.clientWidth, (100 * offsetY) / element.clientHeight)
  })
  element.addEventListener('keydown', (event) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    move(x + STEP * step[0], y + STEP * step[1])
  })
  return element
}
